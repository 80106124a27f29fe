# The image of every service of docker-compose.yml; the command says which one it is. Crawlers have a Chromium besides.
# PYTHON_DIGEST: @sha256:… of the base image, as docker/pin-images writes it.
# CPU: the oldest processor that it is to run on; machine code is made for it once, here, and not again at each start.
ARG PYTHON_DIGEST=
ARG CPU=x86-64-v3

FROM python:3.11-slim-bookworm${PYTHON_DIGEST} AS build
ARG CPU
WORKDIR /src
COPY requirements.lock ./
RUN python -m venv /opt/wenhen \
 && /opt/wenhen/bin/pip install --no-cache-dir --upgrade "pip>=24.1" \
 && /opt/wenhen/bin/pip install --no-cache-dir --require-hashes --requirement requirements.lock
COPY . .
ENV NUMBA_CPU_NAME=$CPU NUMBA_CPU_FEATURES=
RUN /opt/wenhen/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
 && cd / && NUMBA_CACHE_DIR=/opt/wenhen/machine-code /opt/wenhen/bin/python -m wenhen.runtime.processes.precompile

FROM python:3.11-slim-bookworm${PYTHON_DIGEST} AS wenhen
ARG CPU
RUN groupadd --system --gid 10001 wenhen \
 && useradd --system --create-home --uid 10001 --gid 10001 wenhen \
 && install -d -o wenhen -g wenhen /var/lib/wenhen /var/lib/wenhen/warc /var/lib/wenhen/phrases
COPY --from=build /opt/wenhen /opt/wenhen
# Reports on paper are set in these fonts; what reads text in pictures (OpenCV) loads these libraries, though it shows no window.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends fonts-noto-cjk libgl1 libglib2.0-0 libxcb1 \
 && rm -rf /var/lib/apt/lists/*
ENV PATH=/opt/wenhen/bin:$PATH PYTHONUNBUFFERED=1 WENHEN_DATA=/var/lib/wenhen
ENV NUMBA_CPU_NAME=$CPU NUMBA_CPU_FEATURES= WENHEN_WARMED=/opt/wenhen/machine-code NUMBA_CACHE_DIR=/tmp/machine-code
ENV PROMETHEUS_MULTIPROC_DIR=/tmp/figures
USER wenhen
WORKDIR /var/lib/wenhen
ENTRYPOINT ["python", "-m", "wenhen.runtime.processes.container_entry"]
CMD ["wenhen", "doctor"]

FROM wenhen AS crawler
USER root
RUN apt-get update \
 && apt-get install --yes --no-install-recommends chromium fonts-liberation \
 && rm -rf /var/lib/apt/lists/*
ENV WENHEN_CRAWLER_BROWSER=/usr/bin/chromium
USER wenhen
