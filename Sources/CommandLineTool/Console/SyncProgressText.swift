import RecordSync

/// How far a synchronisation has come, in words, from the events that it tells.
struct SyncProgressText {
  private var merged: (reached: UInt64, last: UInt64)?
  private var exported = 0
  private var copied: (bytes: Int, of: Int)?

  /// The new words; nil where the event changes none of them.
  mutating func note(_ event: SyncEvent, of place: DeviceDirectory.Place) -> String? {
    switch event {
    case .exported: exported += 1
    case .merged(_, let number, let last): merged = (number, last)
    case .copied(_, let bytes, let total): copied = bytes < total ? (bytes, total) : nil
    case .refused, .began, .ended, .stopped: return nil
    }
    let words = merged.map { ", merged \($0.reached) of \($0.last)" } ?? ""
    let value = copied.map {
      ", \(DisplayText.byteCount($0.bytes)) of a value of \(DisplayText.byteCount($0.of)) copied"
    }
    return "\(place), \(DisplayText.count(exported, "file")) exported\(words)\(value ?? "")"
  }
}
