package io.rxe.net.port;

import java.util.Locale;

/** The counters of one engine's sockets. */
public enum NetCounter {
    SENT_FRAMES, // frames the kernel accepted
    SENT_BYTES, // bytes of those frames, BTH to ICRC
    SEND_CALLS, // send calls that succeeded
    SENT_BATCHES, // send calls that carried several frames (GSO)
    LARGEST_SENT_BATCH, // most frames in one send call
    SEND_BUSY, // send calls that found the socket buffer full; the frames were kept
    DROPPED_FRAMES, // frames dropped because a send failed; the protocol retransmits them
    SEND_NO_BUFFERS, // failed sends: the device queue is full (ENOBUFS)
    SEND_NOT_PERMITTED, // failed sends: rejected by a firewall (EPERM, EACCES)
    SEND_REFUSED, // failed sends: the peer's port is closed (ECONNREFUSED)
    SEND_TOO_LONG, // failed sends: too long for the path without fragmentation (EMSGSIZE)
    SEND_UNREACHABLE, // failed sends: no route (ENETUNREACH, EHOSTUNREACH)
    SEND_OTHER_ERROR, // failed sends: any other reason
    SEGMENTATION_REFUSED, // batches the kernel or device refused to segment; sent frame by frame
    RECEIVED_FRAMES, // frames delivered to the engine
    RECEIVED_BYTES, // bytes of those frames, BTH to ICRC
    RECEIVE_CALLS, // receive calls that returned a datagram
    RECEIVE_ERRORS, // receive calls that failed
    RECEIVED_BATCHES, // datagrams that held several frames (GRO)
    LARGEST_RECEIVED_BATCH, // most frames in one datagram
    UNCUT_DATAGRAMS, // datagrams too long for one frame in which no frame boundary was found, delivered whole
    PEER_SOCKETS, // sockets dedicated to one peer
    FORWARDED_FRAMES, // frames that arrived at the wrong engine's socket and were forwarded
    FORWARD_OVERFLOW, // frames dropped because the other engine's queue was full
    ENGINE_STALLS, // times the engine's thread did not run for 300 us or more without sleeping; its peers may have probed
    FAULT_LOST, // frames dropped by --fault loss
    FAULT_DUPLICATED, // frames duplicated by --fault duplicate
    FAULT_CORRUPTED, // frames in which --fault corrupt flipped a bit
    FAULT_DELAYED, // frames held back by --fault delay or rate
    FAULT_REORDERED, // frames that overtook delayed ones (--fault reorder)
    FAULT_OVERFLOW, // frames dropped because --fault limit was reached
    VERBS_FAULTS, // faults that --verbs-fault made
    VERBS_FAULT_CUT; // frames dropped while --verbs-fault has the port down

    /** Name in reports, lower case with underscores. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
