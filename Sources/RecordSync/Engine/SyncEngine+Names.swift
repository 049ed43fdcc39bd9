import RecordStore

extension SyncEngine {
  /// Takes the names that others give themselves in their heads, and notes this device's own.
  func rememberNames() throws {
    var found = [try store.read { try $0.replica }: options.displayName]
    for replica in try folder.knownReplicas() where found[replica] == nil {
      found[replica] = try folder.intactHeads(of: replica).first?.displayName
    }
    let changes = try DeviceNames(of: store).changes(to: found)
    guard !changes.isEmpty else { return }
    _ = try store.commit(SaveRequest(attachments: changes))
  }
}
