// What the shell takes from the system's libedit: a line that is edited, its history, and keys of its own. The
// library's calls take variable arguments, which Swift cannot pass; each function here passes those of one use.
#include <histedit.h>
#include <locale.h>
#include <stdio.h>

typedef char *(*edit_prompt)(EditLine *);
typedef unsigned char (*edit_key)(EditLine *, int);

// An editor for the terminal of standard input, in the locale of the environment. While a line is edited, Ctrl-C and
// Ctrl-Z are keys and send no signal; Ctrl-D on an empty line ends the input.
static inline EditLine *edit_begin(
  edit_prompt prompt, edit_key complete, edit_key cancel, edit_key suspend, void *data) {
  setlocale(LC_CTYPE, "");
  EditLine *editor = el_init("tandem", stdin, stdout, stderr);
  if (editor == NULL) return NULL;
  el_set(editor, EL_CLIENTDATA, data);
  el_set(editor, EL_PROMPT, prompt);
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_SIGNAL, 0);
  el_set(editor, EL_SETTY, "-d", "-isig", NULL);
  el_set(editor, EL_ADDFN, "tandem-complete", "Completes names.", complete);
  el_set(editor, EL_ADDFN, "tandem-cancel", "Leaves the line.", cancel);
  el_set(editor, EL_ADDFN, "tandem-suspend", "Stops the shell.", suspend);
  el_set(editor, EL_BIND, "^I", "tandem-complete", NULL);
  el_set(editor, EL_BIND, "^C", "tandem-cancel", NULL);
  el_set(editor, EL_BIND, "^Z", "tandem-suspend", NULL);
  el_set(editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
  return editor;
}

// Sets the terminal as it is while a line is edited. The library itself does so only behind the prompt, and a key that
// is typed between both would be a signal.
static inline void edit_prepare(EditLine *editor) { el_set(editor, EL_PREP_TERM, 1); }

// Sets the terminal as it was before, for another program.
static inline void edit_release(EditLine *editor) { el_set(editor, EL_PREP_TERM, 0); }

static inline void *edit_data(EditLine *editor) {
  void *data = NULL;
  el_get(editor, EL_CLIENTDATA, &data);
  return data;
}

// History of so many lines, read from a file where there is one.
static inline History *edit_history(EditLine *editor, const char *path, int count) {
  History *lines = history_init();
  HistEvent event;
  if (lines == NULL) return NULL;
  history(lines, &event, H_SETSIZE, count);
  history(lines, &event, H_SETUNIQUE, 1);
  el_set(editor, EL_HIST, history, lines);
  if (path != NULL) history(lines, &event, H_LOAD, path);
  return lines;
}

static inline void edit_enter(History *lines, const char *line) {
  HistEvent event;
  history(lines, &event, H_ENTER, line);
}

// Less than zero where the file cannot be written.
static inline int edit_save(History *lines, const char *path) {
  HistEvent event;
  return history(lines, &event, H_SAVE, path);
}
