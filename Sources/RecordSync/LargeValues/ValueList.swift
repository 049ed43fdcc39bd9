import RecordStore

/// Entries of the store's list of the large values that files of the exchange name; see ``ListedValue``.
enum ValueList {
  /// The entries to be written, in the commit that merges or exports, for the values that it names. `here`: where the
  /// store's large values lie; the files are looked at once for each value that is new.
  static func entries(
    of references: Set<ExternalReference>, by author: ReplicaID, here values: ExternalFolder?,
    in snapshot: borrowing StoreSnapshot
  ) throws -> [StoreAttachment] {
    var attachments: [StoreAttachment] = []
    for reference in references.sorted(by: { $0.name < $1.name }) {
      let listed = try snapshot.listedValue(reference)
      let isHere = try values?.has(reference) ?? false
      if let listed, listed.isAwaited || isHere { continue }
      let entry = ListedValue(reference, isAwaited: !isHere, author: listed?.author ?? author)
      attachments.append(entry.attachment)
    }
    return attachments
  }
}
