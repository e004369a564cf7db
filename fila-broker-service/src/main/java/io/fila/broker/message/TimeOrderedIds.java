package io.fila.broker.message;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** UUIDs of version 7 (RFC 9562): milliseconds first, so that new ones go to the end of an index, then 74 random bits. */
final class TimeOrderedIds {

    private TimeOrderedIds() {}

    static UUID next() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = (System.currentTimeMillis() << 16) | 0x7000 | (random.nextInt() & 0x0FFF);
        long low = 0x8000_0000_0000_0000L | (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL);
        return new UUID(high, low);
    }
}
