package io.rxe.bench.compare;

import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** Where the sockets are. */
public enum Place {
    /** On loopback. */
    LOOPBACK("one flow between two sockets on loopback", Works::loopback),
    /** In two network namespaces that veth pairs join. */
    VETH("one flow between two network namespaces, over a veth pair", Works::veth);

    private final String text;
    private final Supplier<List<Work>> works;

    Place(String text, Supplier<List<Work>> works) {
        this.text = text;
        this.works = works;
    }

    /** For the notes of a table. */
    String text() {
        return text;
    }

    /** The rows of its table. */
    List<Work> works() {
        return works.get();
    }

    /** Name in JSON. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException for an unknown name. */
    static Place ofLabel(Object label) {
        for (Place place : values()) {
            if (place.label().equals(label)) {
                return place;
            }
        }
        throw new IllegalArgumentException("the place is neither loopback nor veth but " + label);
    }
}
