/// Reads a dump line by line: the schema line, where there is one, then aliases, once keys, what is told of alias
/// classes, and records. Where the schema line promises a last one, a dump without it is refused.
package struct DumpReader {
  package enum Line: Hashable, Sendable {
    case record(RecordLine)
    case alias(AliasLine)
    case once(OnceLine)
    /// A record as it was written, whose row is shared or spells its references differently.
    case written(RecordLine)
    case past(PastLine)
    case context(ContextLine)
  }

  private let lines: LineReader
  /// Nil where the text begins with a record: then a person wrote it, for the schema of an existing store.
  package let header: DumpHeader?
  /// Read to see that it is no schema line.
  private var firstRecord: JSON?
  /// The lines after the schema line.
  private var lineCount = 0

  package init(_ lines: LineReader) throws {
    self.lines = lines
    guard let first = try DumpReader.nextJSON(lines) else {
      throw InspectionError(.notADump, "the input is empty; give a file that `tandem dump` wrote")
    }
    if DumpHeader.isClaimed(by: first) {
      header = try DumpHeader(json: first)
    } else {
      header = nil
      firstRecord = first
    }
  }

  /// The next line with its number; nil at the end.
  package mutating func next() throws -> (content: Line, number: Int)? {
    guard let json = try firstRecord ?? DumpReader.nextJSON(lines) else {
      guard header?.hasEnd ?? false else { return nil }
      throw InspectionError(
        .malformedLine,
        "the dump was cut: it ends after line \(lines.lineNumber) without its last line; give the whole file, or dump "
          + "the store again")
    }
    firstRecord = nil
    let number = lines.lineNumber
    if header?.hasEnd ?? false, let end = try DumpEnd(json: json, line: number) {
      try checkEnd(end)
      return nil
    }
    lineCount += 1
    // Its members are fields of any name.
    if RecordLine.isListed(json) { return (.record(try RecordLine(json: json, line: number)), number) }
    if let alias = try AliasLine(json: json, line: number) { return (.alias(alias), number) }
    if let once = try OnceLine(json: json, line: number) { return (.once(once), number) }
    if let past = try PastLine(json: json, line: number) { return (.past(past), number) }
    if let context = try ContextLine(json: json, line: number) { return (.context(context), number) }
    if let written = json["written"] { return (.written(try RecordLine(json: written, line: number)), number) }
    return (.record(try RecordLine(json: json, line: number)), number)
  }

  private func checkEnd(_ end: DumpEnd) throws {
    guard end.lineCount == lineCount else {
      throw InspectionError(
        .malformedLine,
        "the dump has \(lineCount) lines between its first and its last one, which counts \(end.lineCount); give it as "
          + "it was written, or dump the store again")
    }
    guard try DumpReader.nextJSON(lines) == nil else {
      throw InspectionError(
        .malformedLine, "line \(lines.lineNumber) follows the end of the dump; give each dump in a file of its own")
    }
  }

  /// Empty lines are passed over.
  private static func nextJSON(_ lines: LineReader) throws -> JSON? {
    while let text = try lines.next() {
      if text.allSatisfy({ $0 == " " || $0 == "\t" }) { continue }
      do {
        return try JSON(parsing: text)
      } catch {
        throw InspectionError(
          lines.lineNumber == 1 ? .notADump : .malformedLine,
          "line \(lines.lineNumber), \(error); give a file that `tandem dump` wrote", cause: error)
      }
    }
    return nil
  }
}
