package io.fila.broker.admin;

import io.fila.broker.message.Reclassify;
import io.fila.broker.message.Redrives;

/** How many dead letters are to be moved back, and of which the script is to run again. */
record RedriveInput(int count, Reclassify reclassify) {

    private static final Field<Integer> COUNT = Field.of("count", in -> (int) in.wholeNumber(1, Redrives.MAX_COUNT));
    private static final Field<Reclassify> RECLASSIFY =
            Field.of("reclassify", in -> Reclassify.parse(in.path(), in.text()));

    static RedriveInput read(byte[] body) {
        Fields given = body.length == 0 ? Fields.none() : JsonBody.read(body, in -> in.object(COUNT, RECLASSIFY));
        return new RedriveInput(given.get(COUNT, Redrives.DEFAULT_COUNT), given.get(RECLASSIFY, Reclassify.ALL));
    }
}
