package io.rxe.ibverbs;

/** As {@link Layout}, for the structures of librdmacm and the socket addresses in them. */
final class CmLayout {
    private CmLayout() {
    }

    /** {@code struct rdma_cm_id}. */
    static final class CmId {
        static final int SRC_ADDR = 32;
        static final int DST_ADDR = 160;
        static final int SGID = 288;
        static final int DGID = 304;
        static final int QP_TYPE = 408;

        private CmId() {
        }
    }

    /** {@code struct rdma_conn_param}. */
    static final class ConnParam {
        static final int PRIVATE_DATA = 0;
        static final int PRIVATE_DATA_LEN = 8;
        static final int RESPONDER_RESOURCES = 9;
        static final int INITIATOR_DEPTH = 10;
        static final int RETRY_COUNT = 12;
        static final int RNR_RETRY_COUNT = 13;
        static final int SRQ = 14;
        static final int QP_NUM = 16;

        private ConnParam() {
        }
    }

    /** {@code struct rdma_ud_param}; it is the longest alternative of the union in {@code rdma_cm_event}. */
    static final class UdParam {
        static final int SIZE = 56;
        static final int PRIVATE_DATA = 0;
        static final int PRIVATE_DATA_LEN = 8;
        static final int AH_ATTR = 16;
        static final int QP_NUM = 48;
        static final int QKEY = 52;

        private UdParam() {
        }
    }

    /** {@code struct sockaddr_in}. */
    static final class SockaddrIn {
        static final int SIN_FAMILY = 0;
        static final int SIN_PORT = 2;
        static final int SIN_ADDR = 4;

        private SockaddrIn() {
        }
    }

    /** {@code struct sockaddr_in6}; family and port lie as in {@code sockaddr_in}. */
    static final class SockaddrIn6 {
        static final int SIZE = 28;
        static final int SIN6_ADDR = 8;

        private SockaddrIn6() {
        }
    }
}
