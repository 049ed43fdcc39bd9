package import RecordStore

/// One key of the once ledger in a dump, with the stamps of the transactions that ran it:
/// `{"once":"purchase 42","runs":["…"]}`.
package struct OnceLine: Hashable, Sendable {
  package var entry: OnceEntry

  package init(_ entry: OnceEntry) { self.entry = entry }

  package var json: JSON {
    ["once": .string(entry.key.text), "runs": .array(entry.runs.map { .string($0.text) })]
  }

  /// Nil where the line is no once key; throws where it is a wrong one.
  package init?(json: JSON, line: Int) throws(InspectionError) {
    guard json["runs"] != nil else { return nil }
    let runs = json["runs"]?.arrayValue?.compactMap { $0.stringValue.flatMap { Stamp(text: $0) } } ?? []
    guard let text = json["once"]?.stringValue, !runs.isEmpty, runs.count == json["runs"]?.arrayValue?.count else {
      throw InspectionError(
        .malformedLine, "line \(line) is no once key with the stamps of its runs; correct the line")
    }
    do {
      entry = OnceEntry(key: try OnceKey(text), runs: runs)
    } catch {
      throw InspectionError(.wrongValue, "line \(line): \(error)", cause: error)
    }
  }
}
