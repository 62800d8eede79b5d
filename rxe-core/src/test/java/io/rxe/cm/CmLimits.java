package io.rxe.cm;

import io.rxe.cm.exchange.CmConfig;

/** Connection management with other limits than a NIC has. */
record CmLimits(CmConfig base, int retries, int exchanges, int peerExchanges, int replies, int requests) {
    static CmLimits of(CmConfig config) {
        return new CmLimits(config, config.maxRetries(), config.maxExchanges(), config.maxPeerExchanges(), config.repliesPerSecond(),
            config.requestsPerSecond());
    }

    static CmLimits of(String address) {
        return of(CmNode.config(address));
    }

    CmLimits retries(int count) {
        return new CmLimits(base, count, exchanges, peerExchanges, replies, requests);
    }

    CmLimits exchanges(int count) {
        return new CmLimits(base, retries, count, peerExchanges, replies, requests);
    }

    CmLimits peerExchanges(int count) {
        return new CmLimits(base, retries, exchanges, count, replies, requests);
    }

    CmLimits replies(int count) {
        return new CmLimits(base, retries, exchanges, peerExchanges, count, requests);
    }

    CmLimits requests(int count) {
        return new CmLimits(base, retries, exchanges, peerExchanges, replies, count);
    }

    CmConfig config() {
        return new CmConfig(base.gid(), base.udpPort(), base.portMtu(), base.caGuid(), base.ackDelayCode(), base.packetLifeTimeCode(),
            base.responseTimeoutCode(), retries, exchanges, peerExchanges, replies, requests, base.partitionKeys());
    }
}
