package io.rxe.net;

/** What the sockets of one engine count. */
public enum NetCounter {
    SENT_FRAMES("sent_frames", "frames the kernel took"),
    SENT_BYTES("sent_bytes", "bytes of those frames, BTH to ICRC"),
    SEND_CALLS("send_calls", "send calls that took one or more frames"),
    SENT_BATCHES("sent_batches", "send calls that took several frames at once (GSO)"),
    LARGEST_SENT_BATCH("largest_sent_batch", "most frames in one send call"),
    SEND_BUSY("send_busy", "send calls that found the socket buffer full; the frames were kept"),
    DROPPED_FRAMES("dropped_frames", "frames dropped because a send failed; the protocol sends them again"),
    SEND_NO_BUFFERS("send_no_buffers", "failed sends: the device queue is full (ENOBUFS)"),
    SEND_NOT_PERMITTED("send_not_permitted", "failed sends: a firewall said no (EPERM, EACCES)"),
    SEND_REFUSED("send_refused", "failed sends: the peer's port is closed (ECONNREFUSED)"),
    SEND_TOO_LONG("send_too_long", "failed sends: longer than the path takes without fragments (EMSGSIZE)"),
    SEND_UNREACHABLE("send_unreachable", "failed sends: no route (ENETUNREACH, EHOSTUNREACH)"),
    SEND_OTHER_ERROR("send_other_error", "failed sends: any other reason"),
    SEGMENTATION_REFUSED("segmentation_refused", "batches the kernel or device would not segment; sent frame by frame"),
    RECEIVED_FRAMES("received_frames", "frames handed to the engine"),
    RECEIVED_BYTES("received_bytes", "bytes of those frames, BTH to ICRC"),
    RECEIVE_CALLS("receive_calls", "receive calls that returned a datagram"),
    RECEIVE_ERRORS("receive_errors", "receive calls that failed"),
    RECEIVED_BATCHES("received_batches", "datagrams that held several frames (GRO)"),
    LARGEST_RECEIVED_BATCH("largest_received_batch", "most frames in one datagram"),
    UNCUT_DATAGRAMS("uncut_datagrams", "datagrams without a recognisable frame boundary, handed over whole"),
    PEER_SOCKETS("peer_sockets", "sockets opened for one peer that sent much"),
    FORWARDED_FRAMES("forwarded_frames", "frames that arrived at another engine's socket and were handed over"),
    FORWARD_OVERFLOW("forward_overflow", "frames dropped because the other engine was behind"),
    FAULT_LOST("fault_lost", "frames lost on purpose (--fault loss)"),
    FAULT_DUPLICATED("fault_duplicated", "frames doubled on purpose (--fault duplicate)"),
    FAULT_CORRUPTED("fault_corrupted", "frames with a bit turned over on purpose (--fault corrupt)"),
    FAULT_DELAYED("fault_delayed", "frames held back on purpose (--fault delay, rate)"),
    FAULT_REORDERED("fault_reordered", "frames let past those held back (--fault reorder)"),
    FAULT_OVERFLOW("fault_overflow", "frames dropped because as many were held back as may be (--fault limit)");

    private final String label;
    private final String sentence;

    NetCounter(String label, String sentence) {
        this.label = label;
        this.sentence = sentence;
    }

    /** Name in reports: lower case with underscores. */
    public String label() {
        return label;
    }

    /** What is counted, as a sentence. */
    public String sentence() {
        return sentence;
    }
}
