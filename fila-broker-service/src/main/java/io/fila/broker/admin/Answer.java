package io.fila.broker.admin;

/** Marks what {@link AnswerEncoder} writes: the bodies of this API's answers. Field names and their order are public. */
interface Answer {}
