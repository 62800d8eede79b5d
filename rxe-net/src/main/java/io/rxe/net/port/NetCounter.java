package io.rxe.net.port;

/** The counters of one engine's sockets. */
public enum NetCounter {
    SENT_FRAMES("sent_frames", "frames the kernel accepted"),
    SENT_BYTES("sent_bytes", "bytes of those frames, BTH to ICRC"),
    SEND_CALLS("send_calls", "send calls that succeeded"),
    SENT_BATCHES("sent_batches", "send calls that carried several frames (GSO)"),
    LARGEST_SENT_BATCH("largest_sent_batch", "most frames in one send call"),
    SEND_BUSY("send_busy", "send calls that found the socket buffer full; the frames were kept"),
    DROPPED_FRAMES("dropped_frames", "frames dropped because a send failed; the protocol retransmits them"),
    SEND_NO_BUFFERS("send_no_buffers", "failed sends: the device queue is full (ENOBUFS)"),
    SEND_NOT_PERMITTED("send_not_permitted", "failed sends: rejected by a firewall (EPERM, EACCES)"),
    SEND_REFUSED("send_refused", "failed sends: the peer's port is closed (ECONNREFUSED)"),
    SEND_TOO_LONG("send_too_long", "failed sends: too long for the path without fragmentation (EMSGSIZE)"),
    SEND_UNREACHABLE("send_unreachable", "failed sends: no route (ENETUNREACH, EHOSTUNREACH)"),
    SEND_OTHER_ERROR("send_other_error", "failed sends: any other reason"),
    SEGMENTATION_REFUSED("segmentation_refused", "batches the kernel or device refused to segment; sent frame by frame"),
    RECEIVED_FRAMES("received_frames", "frames delivered to the engine"),
    RECEIVED_BYTES("received_bytes", "bytes of those frames, BTH to ICRC"),
    RECEIVE_CALLS("receive_calls", "receive calls that returned a datagram"),
    RECEIVE_ERRORS("receive_errors", "receive calls that failed"),
    RECEIVED_BATCHES("received_batches", "datagrams that held several frames (GRO)"),
    LARGEST_RECEIVED_BATCH("largest_received_batch", "most frames in one datagram"),
    UNCUT_DATAGRAMS("uncut_datagrams", "datagrams too long for one frame in which no frame boundary was found, delivered whole"),
    PEER_SOCKETS("peer_sockets", "sockets dedicated to one peer"),
    FORWARDED_FRAMES("forwarded_frames", "frames that arrived at the wrong engine's socket and were forwarded"),
    FORWARD_OVERFLOW("forward_overflow", "frames dropped because the other engine's queue was full"),
    ENGINE_STALLS("engine_stalls", "times the engine's thread did not run for 300 us or more without sleeping; its peers may have probed"),
    FAULT_LOST("fault_lost", "frames dropped by --fault loss"),
    FAULT_DUPLICATED("fault_duplicated", "frames duplicated by --fault duplicate"),
    FAULT_CORRUPTED("fault_corrupted", "frames in which --fault corrupt flipped a bit"),
    FAULT_DELAYED("fault_delayed", "frames held back by --fault delay or rate"),
    FAULT_REORDERED("fault_reordered", "frames that overtook delayed ones (--fault reorder)"),
    FAULT_OVERFLOW("fault_overflow", "frames dropped because --fault limit was reached");

    private final String label;
    private final String sentence;

    NetCounter(String label, String sentence) {
        this.label = label;
        this.sentence = sentence;
    }

    /** Name in reports, lower case with underscores. */
    public String label() {
        return label;
    }

    /** What is counted, as a sentence. */
    public String sentence() {
        return sentence;
    }
}
