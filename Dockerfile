# The image of every service of docker-compose.yml; the command says which one it is. Crawlers have a Chromium besides.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY requirements.lock ./
RUN python -m venv /opt/wenhen \
 && /opt/wenhen/bin/pip install --no-cache-dir --upgrade "pip>=24.1" \
 && /opt/wenhen/bin/pip install --no-cache-dir --require-hashes --requirement requirements.lock
COPY . .
RUN /opt/wenhen/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
 && cd / && /opt/wenhen/bin/python -m wenhen.processes.warm

FROM python:3.11-slim-bookworm AS wenhen
RUN useradd --system --create-home --uid 10001 wenhen \
 && install -d -o wenhen -g wenhen /var/lib/wenhen /var/lib/wenhen/warc
COPY --from=build /opt/wenhen /opt/wenhen
ENV PATH=/opt/wenhen/bin:$PATH PYTHONUNBUFFERED=1 WENHEN_DATA=/var/lib/wenhen
USER wenhen
WORKDIR /var/lib/wenhen
ENTRYPOINT []
CMD ["wenhen", "doctor"]

FROM wenhen AS crawler
USER root
RUN apt-get update \
 && apt-get install --yes --no-install-recommends chromium fonts-liberation \
 && rm -rf /var/lib/apt/lists/*
ENV WENHEN_CRAWLER_BROWSER=/usr/bin/chromium
USER wenhen
