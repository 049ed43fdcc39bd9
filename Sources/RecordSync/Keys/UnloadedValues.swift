import Foundation
import RecordStore

/// The large values of a store that lie in exchange folders alone. Once the family's key is replaced, nobody can read
/// those files, and the next synchronisation removes them.
struct UnloadedValues {
  let count: Int
  let byteCount: Int

  /// Reads the list of a store; there are none where there is no store.
  init(ofStoreAt url: URL) throws {
    guard try DurableFile.item(at: url.appending(path: "data.mdb")) != nil else {
      (count, byteCount) = (0, 0)
      return
    }
    let store = try RecordStore.open(StoreConfiguration(url: url, isReadOnly: true, createsIfMissing: false))
    let awaited = try store.read { try $0.listedValues() }.filter(\.isAwaited)
    (count, byteCount) = (awaited.count, awaited.lazy.map(\.reference).valueByteCount)
  }

  /// Throws ``SyncError`` `missingValue` where there are some.
  func refuseReplacement() throws(SyncError) {
    guard count > 0 else { return }
    let values =
      count == 1 ? "1 large value of \(byteCount) bytes" : "\(count) large values of \(byteCount) bytes"
    throw SyncError(
      .missingValue,
      "\(values) would be lost with the key, for this device has not loaded \(count == 1 ? "it" : "them"): "
        + "synchronise with 'tandem sync --large-values always' first, or replace the key all the same with "
        + "--accept-loss")
  }
}
