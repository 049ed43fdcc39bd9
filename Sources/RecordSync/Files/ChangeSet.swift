public import RecordStore

/// A run of one replica's transactions, in file form: immutable, whole transactions, self-describing.
///
/// The transactions' bytes are those that their author's store wrote at commit, so that exporting the same
/// range twice gives the same file. ``ChangeSetCodec`` reads and writes it; see <doc:ChangeSetFormat>.
public struct ChangeSet: Hashable, Sendable {
  /// The family of stores that the file belongs to.
  public var storeID: RecordID
  /// The replica that made the transactions.
  public var replica: ReplicaID
  /// The sequence number of the first transaction; the others follow without a gap.
  public var firstSequence: UInt64
  /// The SHA-256 of the file that holds the transactions before ``firstSequence``; zeros if there is none.
  public var previousHash: [UInt8]
  /// The author's catalogue as JSON: what the numbers inside the transactions mean.
  public var schemaDescription: [UInt8]
  /// Each as `TransactionCodec` wrote it.
  public var transactions: [[UInt8]]
  /// Whether the file is packed, as all are that this build makes; files of earlier builds are not, and their bytes
  /// must stay what they are.
  public var isPacked: Bool
  /// Whether large values are named and lie in files of their own; then the file is packed.
  public var holdsReferences: Bool

  /// Creates a change set from its parts. They are not checked here; ``ChangeSetCodec`` checks what it reads.
  public init(
    storeID: RecordID, replica: ReplicaID, firstSequence: UInt64, previousHash: [UInt8],
    schemaDescription: [UInt8], transactions: [[UInt8]], isPacked: Bool = true, holdsReferences: Bool = false
  ) {
    self.storeID = storeID
    self.replica = replica
    self.firstSequence = firstSequence
    self.previousHash = previousHash
    self.schemaDescription = schemaDescription
    self.transactions = transactions
    self.isPacked = isPacked
    self.holdsReferences = holdsReferences
  }

  /// The least version of this library's reader that understands the file: 4 if it names large values, 3 if it is
  /// packed, else 2 with a once transaction, else 1.
  var leastReader: UInt16 {
    if holdsReferences { return ChangeSetHeader.referringVersion }
    if isPacked { return ChangeSetHeader.packedVersion }
    return transactions.contains { TransactionCodec.format(of: $0) > 1 } ? 2 : 1
  }

  /// The bytes of the transactions in a file before they are packed.
  var payloadByteCount: Int { transactions.reduce(0) { $0 + ChangeSetHeader.lengthBytes + $1.count } }

  /// Whether a file can hold the transactions.
  var fitsFile: Bool { payloadByteCount <= ChangeSetHeader.maximumPayloadBytes }

  /// The sequence number of the last transaction.
  public var lastSequence: UInt64 { firstSequence - 1 + UInt64(transactions.count) }
}
