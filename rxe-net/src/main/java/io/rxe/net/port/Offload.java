package io.rxe.net.port;

/** Whether to use the kernel's segmentation (GSO) or coalescing (GRO) of datagrams. */
public enum Offload {
    /** If the kernel has it. */
    AUTO,
    /** Always; opening fails on a kernel without it. */
    ON,
    /** Never: one datagram for each frame. */
    OFF
}
