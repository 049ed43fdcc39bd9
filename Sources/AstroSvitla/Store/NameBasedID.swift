import Crypto
import Foundation

/// Ids that follow from a name, so that every device and every build makes the same: version 5 of RFC 9562.
enum NameBasedID {
  /// The space of the app's names; drawn once.
  private static let space: [UInt8] = [
    0x5a, 0x1d, 0x0b, 0x3e, 0x9c, 0x47, 0x4f, 0x62, 0x8e, 0x71, 0x2d, 0xc4, 0xb0, 0x9a, 0x36, 0xf5,
  ]

  /// The id of a name, such as the text of a ``TransactionKey``.
  static func uuid(of name: String) -> UUID {
    var bytes = Array(Insecure.SHA1.hash(data: space + Array(name.utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0f | 0x50
    bytes[8] = bytes[8] & 0x3f | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10],
        bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
