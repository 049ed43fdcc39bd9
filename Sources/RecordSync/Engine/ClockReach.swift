import RecordStore

/// Which stamps of others a store may take in, so that its clock, and everybody's, can still surpass them.
///
/// See ``Stamp/isWithinReach(of:)``. A stamp that was taken raises the reach for those that follow, up to a last epoch:
/// forged stamps may climb, one epoch after the other, and one run of an import must not follow them to the end of the
/// range.
struct ClockReach: Sendable {
  /// So far above the free epochs, or above what was seen before, one run goes.
  private static let epochsPerRun: UInt16 = 256

  private var seen: Stamp
  private let lastEpoch: UInt16

  /// `seen`: the greatest stamp that the store's clock has made or seen.
  init(_ seen: Stamp, lastEpoch: UInt16) {
    self.seen = seen
    self.lastEpoch = lastEpoch
  }

  /// Where a run ends that begins with a clock that has seen this.
  static func lastEpoch(ofRunFrom seen: Stamp) -> UInt16 {
    let (last, isOver) = max(seen.epoch, Stamp.greatestFreeEpoch).addingReportingOverflow(epochsPerRun)
    return isOver ? .max : last
  }

  /// Throws `damagedFile` if the transaction, or what it says that others wrote, is out of reach.
  mutating func take(_ transaction: TransactionFacts, subject: String) throws {
    var stamps = [transaction.stamp] + transaction.context.stamps
    if let notice = transaction.notice { stamps += try SyncNotice(notice).collection?.cut.stamps ?? [] }
    try take(stamps, subject: subject)
    seen = max(seen, transaction.stamp)
  }

  static func excess(_ subject: String) -> SyncError {
    SyncError(
      .damagedFile,
      "\(subject) bears a time at the end of what clocks can count to, above which no device could write; "
        + "remove the file, and find out which device made it")
  }

  /// Throws `damagedFile` if one of them is out of reach.
  func take(_ stamps: some Sequence<Stamp>, subject: String) throws {
    guard stamps.allSatisfy({ $0.isWithinReach(of: seen) && $0.epoch <= lastEpoch }) else {
      throw ClockReach.excess(subject)
    }
  }
}

extension VersionVector {
  var stamps: [Stamp] { entries.values.map(\.stamp) }
}
