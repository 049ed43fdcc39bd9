import Foundation
import LMDB

/// Makes sure, before the first write of a process, that a store is still the one it says; see ``IdentityFinding``.
///
/// All in the transaction of that first write, under the writer lock: processes that open a copy at the same time agree
/// on one new id, and a crash leaves either the old state or the new one. Costs two system calls and a small file.
struct IdentityCheck {
  let url: URL

  /// Enters a new replica id where the store is a copy or was set back.
  func run(_ layout: StoreLayout, in transaction: borrowing WriteTransaction) throws {
    let table = IdentityTable(layout, path: url.path)
    let header = try table.header(in: transaction)
    let present = try StorePlace(ofStoreAt: url)
    let noted = try table.notedPlace(in: transaction)
    let file = try IdentityFile.read(beside: url)
    // The kind of file system is asked for only where it matters, since the list of mounts is read for it.
    let finding = try IdentityFinding(
      header, ownSequence: table.ownSequence(in: transaction), noted: noted, present: present, file: file,
      numbersLast: FileSystemKind(of: url)?.numbersLast ?? true)
    switch finding {
    case .original:
      guard let noted, noted.place != present else { return }
      try table.put(NotedPlace(place: present, replaced: noted.replaced), in: transaction)
    case .unmarked:
      try table.put(NotedPlace(place: present, replaced: header.incarnation), in: transaction)
    case .copied, .setBack:
      _ = try table.renew(
        header, because: finding == .copied ? .copied : .setBack, at: present, file: file, in: transaction)
    }
  }
}
