import LMDB

@testable import RecordStore

extension Harness {
  /// An entry of history, or the state that stands beside it.
  static let history = Harness("history", errors: [StoreError.self]) { bytes in
    if let entry = try HistoryHarness.unlessRefused({ try HistoryHarness.entry(bytes.sealedHistoryEntry) }) {
      let outgoing = try HistoryHarness.outgoing(of: bytes.sealedHistoryEntry)
      let written = entry.encoded(with: OutgoingBytes(outgoing))
      try promise(
        try HistoryHarness.outgoing(of: written) == outgoing, "an entry that was written tells others something else")
      // By their bytes: a value may differ from itself.
      try promise(
        try HistoryHarness.entry(written).encoded(with: OutgoingBytes(outgoing)) == written,
        "an entry that was written and read again is another")
      try HistoryHarness.readHead(of: written, entry)
      return
    }
    var state = bytes
    guard state.count >= 5 else { return }
    state.put(state.checksum(of: 5..<state.count), at: 1)
    let decoded = try HistoryHarness.state(state)
    try promise(
      try HistoryHarness.state(decoded.encoded()) == decoded, "a state that was written and read again is another")
  }
}

private enum HistoryHarness {
  static func entry(_ bytes: [UInt8]) throws -> HistoryEntry {
    try bytes.withRawBytes { bytes throws in try HistoryEntry(decoding: bytes) }
  }

  static func outgoing(of bytes: [UInt8]) throws -> [UInt8] {
    try bytes.withRawBytes { bytes throws in try HistoryEntry.outgoing(of: bytes) }
  }

  /// A search reads what stands first, without the rest.
  static func readHead(of bytes: [UInt8], _ entry: HistoryEntry) throws {
    try bytes.withRawBytes { bytes throws in
      guard let head = try HistoryHead(of: bytes) else { return }
      var names: [Dot] = []
      try head.forEachTransaction { dot, _ in
        names.append(dot)
        return true
      }
      try promise(names == entry.transactions.map(\.dot), "an entry's head names other transactions than the entry")
      for dot in names {
        try promise(head.seen(of: dot.replica) == entry.seen?.entries[dot.replica], "an entry's head has seen less")
      }
    }
  }

  static func state(_ bytes: [UInt8]) throws -> StoreState {
    try bytes.withRawBytes { bytes throws in try StoreState(decoding: bytes) }
  }

  static func unlessRefused<Value>(_ body: () throws -> Value) throws -> Value? {
    do {
      return try body()
    } catch is StoreError {
      return nil
    }
  }
}
