/// The records and entries that a salvage brought back, and those that it could not.
package struct SalvageReport: Hashable, Sendable {
  /// A record that is known by its id, or by its place alone.
  package struct Record: Hashable, Sendable {
    package var entity: String
    /// Nil where not even the id is known.
    package var id: RecordID?
    /// Why, as the end of a sentence.
    package var reason: String
  }

  /// Whether nothing is missing: all records, and history with all that belongs to it.
  package var isWhole = false
  /// Records that readers see in the new store.
  package var recordCount = 0
  /// Records, seen or deleted, that were found with their right checksums.
  package var factCount = 0
  /// Once keys that are in the ledger.
  package var onceKeyCount = 0
  /// Once keys that were found in an older state of a page alone.
  package var formerOnceKeys: [String] = []
  /// The flaws of the file's pages, in sentences without an end.
  package var flaws: [String] = []
  /// Records that are lost: their bytes are damaged, or an index still names them.
  package var lost: [Record] = []
  /// Large values whose files are missing or damaged; their records are there without them.
  package var lostValues: [Record] = []
  /// How many records of each entity the file says that it has and were not found, beside those that are named.
  package var missing: [String: Int] = [:]
  /// Entities whose table the file does not name, so that how many records it had is not known.
  package var uncounted: [String] = []
  /// The numbers of the last saves, whose pages nothing leads to any more.
  package var lostSaves: ClosedRange<UInt64>?
  /// Records of which only an older state of a page is left, where damage hides whether they were deleted since.
  package var doubtful: [Record] = []
  /// Whether those are in the new store all the same.
  package var includesDoubtful = false
  /// Records that were inserted by a once key whose entry in the ledger is lost: nothing keeps it from running again.
  package var recordsWithoutOnceKey = 0
  /// Records with saves that no other device has: they are said again by the new store.
  package var repeatedCount = 0

  /// Whether everything that readers see is there.
  package var lacksNothing: Bool {
    lostSaves == nil && lost.isEmpty && lostValues.isEmpty && missing.isEmpty && uncounted.isEmpty
      && doubtful.isEmpty && recordsWithoutOnceKey == 0
  }
}
