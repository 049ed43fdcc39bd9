// Marks for callgrind, which is told their names: it counts between the two, in all threads.
#ifndef HOT_PATH_H
#define HOT_PATH_H

void hot_path_begins(void);
void hot_path_ends(void);

#endif
