/** What unchanged programs do under each kind of fault at the verbs: a table, and whether the next user of the address is unharmed. */
package io.rxe.testkit.faults;
