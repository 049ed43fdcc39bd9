import ArgumentParser
import MySubGuard

struct Undo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take back the last change that was made on this device.",
    discussion: """
      Undoing is a change, too: a second undo does the change again. Values that were changed since, here or on \
      another device, stay as they are. What another device did is that device's to undo.


      """ + Program.exitCodes)

  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  private static let shown = 5

  func run() async throws {
    let summary = try device.book(.readWriteExisting, today.day).undo()
    if output.json { return try Report.json(summary) }
    let lists: [(MessageKey, [String])] = [
      (.undoRemoved, summary.removed), (.undoRestored, summary.restored), (.undoReverted, summary.reverted),
    ]
    for (key, names) in lists where !names.isEmpty {
      let more = names.count > Self.shown ? ["… (\(names.count))"] : []
      try Report.line(AppLocale.current.text(key, (names.prefix(Self.shown) + more).joined(separator: ", ")))
    }
  }
}
