package import Foundation
import LMDB

/// The remains of a store that may be damaged or gone, read without opening it.
package struct StoreRemains: Hashable, Sendable {
  /// Nil where not even that can be read.
  package var storeID: RecordID?
  package var replica: ReplicaID?
  /// The vector that it had seen, its own transactions included.
  package var vector: VersionVector?
  /// How many of its own transactions it may have exported, as the file beside it says.
  package var lastExported: UInt64?

  package init(of url: URL) throws {
    let identity = try IdentityFile.read(beside: url)
    (storeID, replica, lastExported) = (identity?.storeID, identity?.replica, identity?.lastExported)
    do {
      let meta = try SalvagedMeta(url)
      vector = meta.state?.versionVector
      guard let header = meta.header else { return }
      (storeID, replica) = (header.storeID, header.replica)
      if identity?.incarnation != header.incarnation { lastExported = nil }
    } catch let error as LMDBError where [.noSuchFile, .invalidFile].contains(error.code) {
      // Gone, or destroyed: the file beside it is all that is known.
      return
    } catch let error as LMDBError {
      throw StoreError(error, store: url.path)
    }
  }
}
