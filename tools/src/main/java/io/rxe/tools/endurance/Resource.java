package io.rxe.tools.endurance;

/** What a process may leak, and by how much it may differ without being a leak. */
enum Resource {
    RSS("resident memory", "MiB", 24, 0.05),
    HEAP("heap after GC", "MiB", 3, 0.05),
    DIRECT("direct memory", "MiB", 2, 0.03),
    DESCRIPTORS("descriptors", "", 6, 0.05),
    THREADS("threads", "", 3, 0);

    private final String title;
    private final String unit;
    private final double floor;
    private final double share;

    Resource(String title, String unit, double floor, double share) {
        this.title = title;
        this.unit = unit;
        this.floor = floor;
        this.share = share;
    }

    /** With the unit. */
    String title() {
        return unit.isEmpty() ? title : title + " (" + unit + ")";
    }

    /** Growth that is no leak, of a level. */
    double allowed(double level) {
        return Math.max(floor, share * level);
    }
}
