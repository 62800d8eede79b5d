package io.rxe.bench;

import java.util.ArrayDeque;

/**
 * The lanes that may have room to post: at first all, then those that completed something. A lane with nothing new costs nothing, however
 * many there are. Owned by the measuring thread.
 */
final class LaneQueue {
    private final ArrayDeque<Lane> due;

    LaneQueue(Lane[] lanes) {
        due = new ArrayDeque<>(lanes.length);
        for (Lane lane : lanes) {
            add(lane);
        }
    }

    /** A lane completed something. */
    void add(Lane lane) {
        if (!lane.isDue()) {
            lane.due(true);
            due.add(lane);
        }
    }

    /**
     * Lets every lane in the queue post; one whose send queue was full stays in it.
     *
     * @param mayBegin whether new chunks may be begun.
     * @return messages posted.
     */
    int fill(boolean mayBegin) {
        int posted = 0;
        for (int left = due.size(); left > 0; left--) {
            Lane lane = due.poll();
            lane.due(false);
            posted += lane.fill(mayBegin);
            if (lane.isCutShort()) {
                add(lane);
            }
        }
        return posted;
    }
}
