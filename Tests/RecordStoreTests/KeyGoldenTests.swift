import Foundation
import RecordStore
import Testing

/// Keys as they were first written, in `SyncFixtures/golden/key-1/keys.txt`: a line a value, ascending, then
/// descending. A store's indexes hold them, so they can never change.
@Suite struct KeyGoldenTests {
  static let values: [FieldValue] = [
    .null, .bool(false), .bool(true), .int(.min), .int(-1), .int(0), .int(258), .uint(0), .uint(.max),
    .double(-.infinity), .double(-1.5), .double(-0.0), .double(2.5), .double(.nan),
    .date(Date(timeIntervalSinceReferenceDate: 700_000_000.25)), .decimal(0), .decimal(.nan),
    .decimal(Decimal(sign: .plus, exponent: -2, significand: 999)),
    .decimal(Decimal(sign: .minus, exponent: 3, significand: 12345)), .string(""), .string("abc"), .string("a\0\u{1}b"),
    .string("e\u{301}"), .string("é"), .string("Їжак"), .url("https://example.org/"), .data(Data([0, 1, 2, 255])),
    .composite(Data("{}".utf8)), .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
    .reference(RecordID(high: 0x0102_0304_0506_0708, low: 9)),
  ]

  static var lines: [String] {
    values.map { value in
      [false, true].map { key(value, isDescending: $0) }.map(hexadecimal).joined(separator: " ")
    } + [hexadecimal(longKey)]
  }

  /// A text beyond LMDB's limit: cut and completed.
  private static var longKey: [UInt8] {
    var encoder = KeyEncoder()
    encoder.append(.string(String(repeating: "long ", count: 120)))
    encoder.cut(to: .ownTree)
    return encoder.bytes
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func `keys are those that the first build wrote`() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "SyncFixtures/golden/key-1/keys.txt"), encoding: .utf8)
    #expect(text.split(separator: "\n").map(String.init) == Self.lines)
  }
}
