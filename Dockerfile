# The image holds one static binary and links to it: `salt`, `salt-key`, … are `mom` called by another name.
# `make image` lays out build/image and then runs `docker build`; this image needs nothing from elsewhere.
FROM scratch
COPY build/image/ /
ENV PATH=/usr/bin HOME=/root
ENTRYPOINT ["/mom"]
CMD ["--help"]
