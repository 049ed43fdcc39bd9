/// The bytes of a change-set file: header, blocks of at most 256 KiB with a checksum each, trailer.
///
/// ```swift
/// let bytes = try [UInt8](Data(contentsOf: file))
/// let set: ChangeSet = try ChangeSetCodec.decode(bytes, subject: file.path)
/// print("transactions \(set.firstSequence) to \(set.lastSequence) of \(set.replica)")
/// let again = ChangeSetCodec.encode(set)
/// ```
///
/// A block is the length of what lies there (4 bytes), the CRC-32C of it (4), and that. All blocks but the last hold
/// as much as the header's block size says. In a packed file a block that lies there in fewer bytes than it holds is
/// packed (`BlockPacker`); in all others what lies there is what the block holds, which together is the payload:
/// each transaction as a length of 4 bytes and its bytes. The trailer is the SHA-256 of everything before it and the
/// magic `TNDMCEND`. Whatever is not exactly such a file is refused; a length is compared with a limit and with what
/// is there before memory is taken, and no block is unpacked beyond what the header says that it holds.
public enum ChangeSetCodec {
  static let endMagic = Array("TNDMCEND".utf8)

  /// The file. `set` must hold at least one transaction, and at most 1 GiB of them. Costs one copy of the transactions,
  /// the packing of it, which the processor's cores share, and one SHA-256 over the file.
  public static func encode(_ set: ChangeSet) -> [UInt8] { file(of: set).bytes }

  /// A whole file, and the SHA-256 of it, after which it is named.
  struct File {
    let bytes: [UInt8]
    let hash: ContentHash
  }

  /// As ``encode(_:)``.
  static func file(of set: ChangeSet) -> File {
    precondition(!set.transactions.isEmpty, "a change set holds at least one transaction")
    let payloadByteCount = set.payloadByteCount
    precondition(
      payloadByteCount <= ChangeSetHeader.maximumPayloadBytes, "a change set holds at most 1 GiB of transactions")
    var payload = FileWriter(reserving: payloadByteCount)
    for transaction in set.transactions { payload.put(counted: transaction) }
    var blocks = PayloadBlocks.blocks(of: payload.bytes, isPacked: set.isPacked)
    let storedBytes = UInt64(blocks.reduce(0) { $0 + $1.count })
    if !ChangeSetHeader.isExpansionAllowed(UInt64(payload.bytes.count), in: storedBytes) {
      blocks = PayloadBlocks.blocks(of: payload.bytes, isPacked: false)
    }
    let header = ChangeSetHeader(
      set, payloadBytes: payload.bytes.count, storedBytes: blocks.reduce(0) { $0 + $1.count })
    var writer = FileWriter(reserving: header.fileBytes)
    header.write(into: &writer)
    for block in blocks {
      writer.put(UInt32(block.count))
      writer.put(CRC32C.checksum(block))
      writer.put(raw: block)
    }
    let hash = writer.seal(with: endMagic)
    return File(bytes: writer.bytes, hash: hash)
  }

  /// Reads a whole file.
  ///
  /// - Throws: ``SyncError``: `damagedFile`, `foreignFile` or `newerFormat`; `subject` names the file in the message.
  public static func decode(_ bytes: [UInt8], subject: String = "the change set") throws -> ChangeSet {
    let header = try ChangeSetHeader(bytes[...], subject: subject)
    let damage = SyncError(
      .damagedFile, "\(subject) is incomplete or damaged; it is taken when a whole copy has arrived")
    guard bytes.count == header.fileBytes, Array(bytes.suffix(endMagic.count)) == endMagic else { throw damage }
    let hashed = bytes.count - endMagic.count - ContentHash.byteCount
    guard ContentHash(of: bytes[..<hashed]).bytes == Array(bytes[hashed..<hashed + ContentHash.byteCount]) else {
      throw damage
    }
    let payload = try PayloadBlocks.payload(of: header, in: bytes[header.headerBytes..<hashed], subject: subject)
    return ChangeSet(
      storeID: header.storeID, replica: header.replica, firstSequence: header.from,
      previousHash: header.previousHash, schemaDescription: header.schemaDescription,
      transactions: try transactions(of: header, in: payload, subject: subject), isPacked: header.isPacked,
      holdsReferences: header.holdsReferences)
  }

  private static func transactions(
    of header: ChangeSetHeader, in payload: [UInt8], subject: String
  ) throws -> [[UInt8]] {
    var reader = FileReader(payload, subject: subject)
    var transactions: [[UInt8]] = []
    for _ in header.from...header.to {
      transactions.append(Array(try reader.counted(limit: reader.remaining)))
    }
    try reader.end()
    return transactions
  }
}
