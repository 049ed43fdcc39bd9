import Foundation
import RecordStore

extension SyncEngine {
  /// Reads each snapshot of others once, and keeps the names of those that are whole: the head tells them, and only
  /// a snapshot that somebody else attests lets its owner remove change sets.
  func attestSnapshots() throws {
    let (own, known) = try store.read { (try $0.replica, try SyncEngine.attested(in: $0)) }
    let there = try folder.intactSnapshots().filter { $0.owner != own }
    let whole = try there.filter { try known.contains($0.name.text) || $0.isWhole() }.map(\.name.text)
    guard Set(whole) != known else { return }
    var writer = FileWriter()
    for name in whole.sorted() { writer.put(name) }
    let attachment = StoreAttachment(key: SyncAttachment.attested, value: writer.bytes)
    _ = try store.commit(SaveRequest(attachments: [attachment]))
  }

  static func attested(in snapshot: borrowing StoreSnapshot) throws -> Set<String> {
    guard let value = try snapshot.attachment(SyncAttachment.attested) else { return [] }
    var reader = FileReader(value, subject: "the list of attested snapshots")
    var names: Set<String> = []
    while reader.remaining > 0 { names.insert(try reader.text(limit: 120)) }
    return names
  }
}
