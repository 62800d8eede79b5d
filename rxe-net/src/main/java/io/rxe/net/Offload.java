package io.rxe.net;

/** Whether the kernel's segmentation (GSO) or coalescing (GRO) of datagrams is used. */
public enum Offload {
    /** Where the kernel has it. */
    AUTO,
    /** Always; opening fails on a kernel without it. */
    ON,
    /** Never: one datagram for each frame. */
    OFF
}
