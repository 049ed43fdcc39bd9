// The system's SQLite. Swift cannot call functions with any number of arguments, so the one of them that is needed has
// a form of its own here.
#include <sqlite3.h>

static inline int csqlite_set(sqlite3 *connection, int option, int value) {
  int result = 0;
  return sqlite3_db_config(connection, option, value, &result);
}
