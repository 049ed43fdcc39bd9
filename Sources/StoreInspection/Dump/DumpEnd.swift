/// The last line of a dump: how many lines stand between it and the first one.
///
/// `{"tandemDumpEnd":7}`. A dump that was cut where a line ends looks like one of a store with fewer records, and a
/// store made of it would take all others for known.
struct DumpEnd: Hashable, Sendable {
  let lineCount: Int

  init(lineCount: Int) { self.lineCount = lineCount }

  var json: JSON { ["tandemDumpEnd": .integer(lineCount)] }

  /// Nil for a line of another kind.
  init?(json: JSON, line: Int) throws(InspectionError) {
    guard let count = json["tandemDumpEnd"] else { return nil }
    guard let lineCount = count.integerValue(as: Int.self) else {
      throw InspectionError(
        .malformedLine, "line \(line) ends the dump with a count that is no number; dump the store again")
    }
    self.lineCount = lineCount
  }
}
