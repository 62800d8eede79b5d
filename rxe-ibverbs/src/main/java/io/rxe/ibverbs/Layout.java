package io.rxe.ibverbs;

import org.agrona.UnsafeApi;

/**
 * Where the fields of libibverbs's structures lie, in bytes from their start. A 64-bit Linux has the same layout on every processor. A
 * test compares every constant with the header of libibverbs.
 */
final class Layout {
    private Layout() {
    }

    /** The field of one byte at an address, 0 to 255. */
    static int byteAt(long address) {
        return UnsafeApi.getByte(address) & 0xFF;
    }

    /** {@code struct ibv_send_wr}. */
    static final class SendWr {
        static final int WR_ID = 0;
        static final int NEXT = 8;
        static final int SG_LIST = 16;
        static final int NUM_SGE = 24;
        static final int OPCODE = 28;
        static final int SEND_FLAGS = 32;
        static final int IMM_DATA = 36;
        static final int REMOTE_ADDR = 40;
        static final int RDMA_RKEY = 48;
        static final int COMPARE_ADD = 48;
        static final int SWAP = 56;
        static final int ATOMIC_RKEY = 64;
        static final int AH = 40;
        static final int REMOTE_QPN = 48;
        static final int REMOTE_QKEY = 52;
        static final int REMOTE_SRQN = 72;
        static final int BIND_MW = 80;
        static final int BIND_RKEY = 88;
        static final int BIND_INFO = 96;

        private SendWr() {
        }
    }

    /** {@code struct ibv_recv_wr}. */
    static final class RecvWr {
        static final int WR_ID = 0;
        static final int NEXT = 8;
        static final int SG_LIST = 16;
        static final int NUM_SGE = 24;

        private RecvWr() {
        }
    }

    /** {@code struct ibv_sge}. */
    static final class Sge {
        static final int SIZE = 16;
        static final int ADDR = 0;
        static final int LENGTH = 8;
        static final int LKEY = 12;

        private Sge() {
        }
    }

    /** {@code struct ibv_wc}. */
    static final class Wc {
        static final int SIZE = 48;
        static final int WR_ID = 0;
        static final int STATUS = 8;
        static final int OPCODE = 12;
        static final int VENDOR_ERR = 16;
        static final int BYTE_LEN = 20;
        static final int IMM_DATA = 24;
        static final int QP_NUM = 28;
        static final int SRC_QP = 32;
        static final int WC_FLAGS = 36;
        static final int PKEY_INDEX = 40;
        static final int SL = 44;

        private Wc() {
        }
    }

    /** {@code struct ibv_mr}. */
    static final class Mr {
        static final int HANDLE = 32;
        static final int LKEY = 36;
        static final int RKEY = 40;

        private Mr() {
        }
    }

    /** {@code struct ibv_mw}. */
    static final class Mw {
        static final int RKEY = 16;
        static final int HANDLE = 20;

        private Mw() {
        }
    }

    /** {@code struct ibv_mw_bind_info}. */
    static final class MwBindInfo {
        static final int MR = 0;
        static final int ADDR = 8;
        static final int LENGTH = 16;
        static final int MW_ACCESS_FLAGS = 24;

        private MwBindInfo() {
        }
    }

    /** {@code struct ibv_mw_bind}. */
    static final class MwBind {
        static final int WR_ID = 0;
        static final int SEND_FLAGS = 8;
        static final int BIND_INFO = 16;

        private MwBind() {
        }
    }

    /** {@code struct ibv_ah}. */
    static final class Ah {
        static final int HANDLE = 16;

        private Ah() {
        }
    }

    /** {@code struct ibv_cq}. */
    static final class Cq {
        static final int CQE = 28;

        private Cq() {
        }
    }

    /** {@code struct ibv_qp}. */
    static final class Qp {
        static final int CONTEXT = 0;
        static final int HANDLE = 48;
        static final int QP_NUM = 52;

        private Qp() {
        }
    }

    /** {@code struct ibv_qp_init_attr}. */
    static final class QpInitAttr {
        static final int CAP = 32;
        static final int QP_TYPE = 52;
        static final int SQ_SIG_ALL = 56;

        private QpInitAttr() {
        }
    }

    /** {@code struct ibv_qp_cap}. */
    static final class QpCap {
        static final int MAX_SEND_WR = 0;
        static final int MAX_RECV_WR = 4;
        static final int MAX_SEND_SGE = 8;
        static final int MAX_RECV_SGE = 12;
        static final int MAX_INLINE_DATA = 16;

        private QpCap() {
        }
    }

    /** {@code struct ibv_srq_attr}. */
    static final class SrqAttr {
        static final int MAX_WR = 0;
        static final int MAX_SGE = 4;
        static final int SRQ_LIMIT = 8;

        private SrqAttr() {
        }
    }

    /** {@code struct ibv_ah_attr}. */
    static final class AhAttr {
        static final int SIZE = 32;
        static final int DGID = 0;
        static final int SGID_INDEX = 20;
        static final int HOP_LIMIT = 21;
        static final int TRAFFIC_CLASS = 22;
        static final int SL = 26;
        static final int IS_GLOBAL = 29;
        static final int PORT_NUM = 30;

        private AhAttr() {
        }
    }

    /** {@code struct ibv_qp_attr}. */
    static final class QpAttr {
        static final int SIZE = 144;
        static final int QP_STATE = 0;
        static final int CUR_QP_STATE = 4;
        static final int PATH_MTU = 8;
        static final int PATH_MIG_STATE = 12;
        static final int QKEY = 16;
        static final int RQ_PSN = 20;
        static final int SQ_PSN = 24;
        static final int DEST_QP_NUM = 28;
        static final int QP_ACCESS_FLAGS = 32;
        static final int CAP = 36;
        static final int AH_ATTR = 56;
        static final int ALT_AH_ATTR = 88;
        static final int PKEY_INDEX = 120;
        static final int ALT_PKEY_INDEX = 122;
        static final int EN_SQD_ASYNC_NOTIFY = 124;
        static final int MAX_RD_ATOMIC = 126;
        static final int MAX_DEST_RD_ATOMIC = 127;
        static final int MIN_RNR_TIMER = 128;
        static final int PORT_NUM = 129;
        static final int TIMEOUT = 130;
        static final int RETRY_CNT = 131;
        static final int RNR_RETRY = 132;
        static final int ALT_PORT_NUM = 133;
        static final int ALT_TIMEOUT = 134;

        private QpAttr() {
        }
    }
}
