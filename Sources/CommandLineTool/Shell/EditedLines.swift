import CEdit
import Foundation
import RecordStore

/// Lines that a person edits on a terminal, with history and completion, by the system's libedit.
///
/// The editor keeps an unretained pointer to this object, which lives as long as it: both end in `deinit`. Used by one
/// thread.
final class EditedLines: LineSource {
  private var editor: OpaquePointer?
  private var history: OpaquePointer?
  private let historyPath: String?
  private let catalogue: Catalogue
  /// Read by the editor at each prompt; allocated once.
  private let prompt: UnsafeMutablePointer<CChar>?
  private var isCancelled = false
  private static let historyCount: Int32 = 1000

  /// Nil where the terminal cannot be edited on.
  init?(prompt: String, catalogue: Catalogue) {
    historyPath = ShellHistory.path()
    self.catalogue = catalogue
    self.prompt = strdup(prompt)
    editor = edit_begin(
      { EditedLines.of($0)?.prompt }, { editor, _ in EditedLines.of(editor)?.complete() ?? UInt8(CC_ERROR) },
      { editor, _ in EditedLines.of(editor)?.cancel() ?? UInt8(CC_ERROR) },
      { editor, _ in EditedLines.of(editor)?.suspend() ?? UInt8(CC_ERROR) },
      Unmanaged.passUnretained(self).toOpaque())
    // `deinit` runs then, too, and frees the prompt.
    guard let editor else { return nil }
    history = edit_history(editor, historyPath, EditedLines.historyCount)
  }

  deinit {
    if let history { history_end(history) }
    if let editor { el_end(editor) }
    free(prompt)
  }

  /// Ctrl-C gives an empty line, and so a new prompt.
  func next() -> String? {
    isCancelled = false
    guard let editor else { return nil }
    // The window may have another size than before the last command.
    el_resize(editor)
    var count: Int32 = 0
    let text = Interruption.shared.whileRunning(tidy: EditedLines.restoringTerminal()) {
      edit_prepare(editor)
      return el_gets(editor, &count)
    }
    if isCancelled {
      Console.standard.note("^C")
      return ""
    }
    guard let text, count > 0 else { return nil }
    let line = String(cString: text)
    if !line.allSatisfy(\.isWhitespace) { remember(text) }
    return line
  }

  /// At once, so that a shell that is killed has the line too.
  private func remember(_ text: UnsafePointer<CChar>) {
    guard let history else { return }
    edit_enter(history, text)
    if let historyPath, edit_save(history, historyPath) < 0 {
      Console.standard.tell("\(historyPath) cannot be written, so this line is not kept; check its rights")
    }
  }

  /// A signal that ends the process leaves no terminal behind that shows nothing of what is typed.
  private static func restoringTerminal() -> @Sendable () -> Void {
    var saved = termios()
    guard tcgetattr(STDIN_FILENO, &saved) == 0 else { return {} }
    let state = saved
    return {
      var state = state
      _ = tcsetattr(STDIN_FILENO, TCSANOW, &state)
    }
  }

  private static func of(_ editor: OpaquePointer?) -> EditedLines? {
    editor.flatMap { edit_data($0) }.map { Unmanaged<EditedLines>.fromOpaque($0).takeUnretainedValue() }
  }

  private func cancel() -> UInt8 {
    isCancelled = true
    return UInt8(CC_NEWLINE)
  }

  /// Stops as by Ctrl-Z elsewhere: all programs of the line that started the shell, until `fg`.
  private func suspend() -> UInt8 {
    guard let editor else { return UInt8(CC_ERROR) }
    Console.standard.note("")
    edit_release(editor)
    kill(0, SIGTSTP)
    edit_prepare(editor)
    el_resize(editor)
    return UInt8(CC_REDISPLAY)
  }

  private func complete() -> UInt8 {
    guard let editor, let line = el_line(editor) else { return UInt8(CC_ERROR) }
    let text = UnsafeRawBufferPointer(
      start: line.pointee.buffer, count: line.pointee.cursor - line.pointee.buffer)
    let completion = ShellCompletion(of: String(decoding: text, as: UTF8.self), in: catalogue)
    let more = completion.continuation
    if !more.isEmpty { return el_insertstr(editor, more) == 0 ? UInt8(CC_REFRESH) : UInt8(CC_ERROR) }
    guard completion.candidates.count > 1 else { return UInt8(CC_ERROR) }
    Console.standard.note("\n" + completion.candidates.joined(separator: "  "))
    return UInt8(CC_REDISPLAY)
  }
}
