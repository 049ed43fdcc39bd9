package import Foundation
package import RecordStore

extension ExchangeFolder {
  /// The folder of one family in a root. `key`: of the family, if it has one.
  package init(root: URL, storeID: RecordID, key: FamilyKey?) {
    self.init(root: root, storeID: storeID, sharing: .owner, key: key)
  }

  init(
    root: URL, storeID: RecordID, sharing: FileSharing, key: FamilyKey?, mutation: RuleMutation? = nil
  ) {
    let seal = key.map { FileSeal($0, storeID: storeID, mutation: mutation) }
    self.init(root: root, storeID: storeID, sharing: sharing, seal: seal)
  }

  /// Throws where a folder without encryption is about to be used beside one that is encrypted: a device that lacks
  /// the key would write in clear what its family keeps secret.
  func refuseBesideSealed(in shared: URL) throws {
    guard seal == nil else { return }
    let sealed = ExchangeFolder(root: shared, storeID: storeID)
    guard sealed.url != url, try DurableFile.size(of: sealed.marker) != nil else { return }
    _ = try sealed.standing()
  }
}
