"""redis-py without the metrics of OpenTelemetry, sixty modules; to be imported before redis is.

It takes a tenth of what a short command does, which asks no index and no queue: such import it in their functions.
"""

from store.import_without import import_without

import_without("redis", "opentelemetry.sdk.metrics")
