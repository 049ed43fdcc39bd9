public import RecordSync
public import Tandem

extension SyncEngine {
  /// Brings a large value that `SyncOptions.largeValues` has left in the folder; at once where it is here already.
  /// Afterwards its `isAvailable` is true, and its object's getter gives the bytes.
  ///
  /// - Throws: `SyncError` `missingValue` where the folder has no whole file of it, and as ``SyncEngine/sync()`` does.
  public func load(_ value: ExternalValue) throws {
    guard value.isInFile, !value.isAvailable else { return }
    try loadValue(sha256: value.sha256)
  }
}
