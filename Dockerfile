FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG VERSION=unknown
ARG TARGETOS
ARG TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY api api
COPY cmd cmd
COPY config config
COPY pkg pkg
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /lwsfed ./cmd/lwsfed

FROM gcr.io/distroless/static:nonroot
COPY --from=build /lwsfed /lwsfed
USER 65532:65532
ENTRYPOINT ["/lwsfed"]
