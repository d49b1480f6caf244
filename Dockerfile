# The static binary and nothing else. TLS roots are compiled in, so an empty image is enough.
#   docker build -t assize .
#   docker run --rm -v "$PWD:/work" -w /work assize run
FROM rust:1.95-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc musl-tools && rm -rf /var/lib/apt/lists/*
RUN rustup target add "$(uname -m)-unknown-linux-musl"
WORKDIR /src
COPY . .
RUN target="$(uname -m)-unknown-linux-musl" \
    && cargo build --release --locked --package harness --bin assize --target "$target" \
    && cp "target/$target/release/assize" /assize

FROM scratch
COPY --from=build /assize /assize
# Runs are written below the working folder, so mount it.
WORKDIR /work
ENTRYPOINT ["/assize"]
