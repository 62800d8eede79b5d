package io.rxe.verbs;

import io.rxe.memory.ScatterGatherList;
import java.util.Objects;

/** Adds part of a region to the elements of a request, if it lies inside. Stateless. */
final class ElementCheck {
    private ElementCheck() {
    }

    static void addTo(ScatterGatherList list, MemoryRegion region, long offset, int lengthBytes) {
        Objects.requireNonNull(region, "the memory region is null: register the memory and give its region");
        long regionBytes = region.length();
        if (offset < 0 || lengthBytes < 0 || offset > regionBytes - lengthBytes) {
            throw new IllegalArgumentException("element of " + lengthBytes + " bytes at offset " + offset + " lies outside memory region"
                + " 0x" + Integer.toHexString(region.lKey()) + " of " + regionBytes + " bytes: let it begin at 0 or behind and end"
                + " at " + regionBytes + " or before");
        }
        list.addOfRegion(region.address() + offset, lengthBytes, region.lKey());
    }
}
