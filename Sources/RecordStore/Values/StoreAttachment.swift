/// Bytes that a higher layer keeps in the store beside the records, under a key.
public struct StoreAttachment: Hashable, Sendable {
  /// 1–255 bytes; the first bytes name the layer, such as `sync/`.
  public var key: [UInt8]
  /// The bytes; nil removes the attachment.
  public var value: [UInt8]?
  /// Creates an attachment from its parts.
  public init(key: [UInt8], value: [UInt8]?) {
    self.key = key
    self.value = value
  }
}
