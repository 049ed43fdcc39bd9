import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// The names of records, replicas, transactions and moments: their texts, their bytes and their orders.
struct NameTests {
  @Test(arguments: [
    (RecordID(high: 0, low: 0), "00000000000000000000000000000000"),
    (RecordID(high: 1, low: 2), "00000000000000010000000000000002"),
    (RecordID(high: 0x0123_4567_89AB_CDEF, low: .max), "0123456789abcdefffffffffffffffff"),
  ])
  func `a record's name is thirty-two digits, and bytes with the greatest first`(id: RecordID, text: String) throws {
    #expect(id.description == text && RecordID(text) == id && RecordID(text.uppercased()) == id)
    let json = try JSONEncoder().encode([id])
    #expect(String(decoding: json, as: UTF8.self) == "[\"\(text)\"]")
    #expect(try JSONDecoder().decode([RecordID].self, from: json) == [id])
    var bytes: [UInt8] = []
    id.append(to: &bytes)
    #expect(bytes.map { String(format: "%02x", $0) }.joined() == text)
  }

  static let noNames = [
    "", "0", String(repeating: "0", count: 31), String(repeating: "0", count: 33),
    "+" + String(repeating: "0", count: 31),
    String(repeating: "0", count: 16) + "+" + String(repeating: "0", count: 15),
    "-" + String(repeating: "0", count: 31),
    "0x" + String(repeating: "0", count: 30), String(repeating: "g", count: 32),
    " " + String(repeating: "0", count: 31),
    String(repeating: "0", count: 30) + "\u{E9}",
  ]

  @Test(arguments: noNames) func `a text of another form is no record's name`(text: String) throws {
    #expect(RecordID(text) == nil)
    let json = try JSONEncoder().encode([text])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([RecordID].self, from: json) }
  }

  @Test(
    arguments: [(0, "0000000000000000"), (0xABC, "0000000000000abc"), (.max, "ffffffffffffffff")] as [(UInt64, String)])
  func `a replica's name is sixteen digits`(value: UInt64, text: String) {
    #expect(ReplicaID(value).description == text && ReplicaID(text) == ReplicaID(value))
    let digits = text.dropFirst()
    for wrong in [String(digits), text + "0", "g" + digits, "+" + digits, "-000000000000000", ""] {
      #expect(ReplicaID(wrong) == nil, "\(wrong)")
    }
  }

  /// Each by its most significant part, so that of two neighbours only one part decides.
  @Test func `stamps stand by epoch, time, counter and replica, one after another`() {
    let rising = [
      Stamp.zero, Stamp(epoch: 0, wallMilliseconds: 0, counter: 0, replica: ReplicaID(1)),
      Stamp(epoch: 0, wallMilliseconds: 0, counter: 1, replica: ReplicaID(0)),
      Stamp(epoch: 0, wallMilliseconds: 1, counter: 0, replica: ReplicaID(0)),
      Stamp(epoch: 0, wallMilliseconds: 1, counter: 0, replica: ReplicaID(.max)),
      Stamp(epoch: 0, wallMilliseconds: 1, counter: .max, replica: ReplicaID(0)),
      Stamp(epoch: 0, wallMilliseconds: Stamp.maximumWallMilliseconds, counter: .max, replica: ReplicaID(.max)),
      Stamp(epoch: 1, wallMilliseconds: 0, counter: 0, replica: ReplicaID(0)),
      Stamp(epoch: .max, wallMilliseconds: 0, counter: 0, replica: ReplicaID(0)),
    ]
    for (place, stamp) in rising.enumerated() {
      for (other, otherStamp) in rising.enumerated() { #expect((stamp < otherStamp) == (place < other)) }
    }
  }

  @Test func `a stamp takes its parts back, and a time that is too late becomes the latest`() {
    let stamp = Stamp(epoch: 7, wallMilliseconds: 1_800_000_000_000, counter: 3, replica: ReplicaID(9))
    #expect(stamp.epoch == 7 && stamp.wallMilliseconds == 1_800_000_000_000)
    let late = Stamp(epoch: 7, wallMilliseconds: .max, counter: 0, replica: ReplicaID(9))
    #expect(late.epoch == 7 && late.wallMilliseconds == Stamp.maximumWallMilliseconds)
  }

  @Test(
    arguments: [
      (0, 0, true), (0x7FFF, 0, true), (0x8000, 0, false), (0x8000, 0x7FFE, false), (0x8000, 0x7FFF, true),
      (0x8001, 0x7FFF, false), (0x8001, 0x8000, true), (0x8000, 0x9000, true), (0xFFFF, 0xFFFE, true),
      (0xFFFF, 0xFFFF, true), (0xFFFF, 0xFFFD, false),
    ] as [(UInt16, UInt16, Bool)])
  func `behind the free epochs a stamp leads one epoch at most above what was seen`(
    epoch: UInt16, seen: UInt16, isWithinReach: Bool
  ) {
    func stamp(_ epoch: UInt16) -> Stamp { Stamp(epoch: epoch, wallMilliseconds: 5, counter: 0, replica: ReplicaID(1)) }
    #expect(stamp(epoch).isWithinReach(of: stamp(seen)) == isWithinReach)
  }

  @Test func `transactions stand by replica and then by their place`() {
    let rising = [(1, 1), (1, 2), (1, 300), (2, 1), (3, 0)].map { Dot(replica: ReplicaID($0.0), sequence: $0.1) }
    for (place, dot) in rising.enumerated() {
      for (other, otherDot) in rising.enumerated() { #expect((dot < otherDot) == (place < other)) }
    }
  }

  /// JSON of each kind of value, as catalogues and dumps have it for ever.
  static let json: [(value: FieldValue, text: String)] = [
    (.null, "null"), (.bool(true), #"{"bool":true}"#), (.int(-5), #"{"int":-5}"#),
    (.int(.min), #"{"int":-9223372036854775808}"#),
    (.uint(.max), #"{"uint":18446744073709551615}"#), (.double(0), #"{"double":0}"#),
    (.double(1.5), #"{"double":4609434218613702656}"#), (.double(-.infinity), #"{"double":18442240474082181120}"#),
    (.string("a\"b"), #"{"string":"a\"b"}"#), (.url("https:a"), #"{"url":"https:a"}"#),
    (.date(Date(timeIntervalSinceReferenceDate: 1.5)), #"{"date":4609434218613702656}"#),
    (
      .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
      #"{"uuid":"01020304-0506-0708-090A-0B0C0D0E0F10"}"#
    ),
    (.data(Data([1, 2])), #"{"data":"AQI="}"#), (.composite(Data([255])), #"{"composite":"\/w=="}"#),
    (.reference(RecordID(high: 1, low: 2)), #"{"reference":"00000000000000010000000000000002"}"#),
    (.decimal(7), #"{"decimal":7}"#),
  ]

  @Test func `a value is an object with one member in JSON`() throws {
    for (value, text) in Self.json {
      #expect(String(decoding: try JSONEncoder().encode([value]), as: UTF8.self) == "[\(text)]")
      let found = try JSONDecoder().decode([FieldValue].self, from: Data("[\(text)]".utf8))
      #expect(found.count == 1 && found[0].isIdentical(to: value), "\(text)")
    }
  }

  @Test(arguments: FieldType.allCases) func `a value comes back from its JSON bit by bit`(type: FieldType) throws {
    for value in ValueLadder.of(type).values.map(\.value) {
      // JSON has no such decimal, and no schema can declare it as a default.
      if case .decimal(let number) = value, number.isNaN { continue }
      let found = try JSONDecoder().decode(FieldValue.self, from: JSONEncoder().encode(value))
      #expect(found.isSame(as: value), "\(value)")
    }
  }

  @Test(arguments: [
    "{}", #"{"int":1,"bool":true}"#, #"{"number":1}"#, #"{"int":"1"}"#, #"{"uuid":"x"}"#, #"{"reference":"x"}"#,
    #"{"uint":-1}"#, "[]", "1",
  ])
  func `what is no value is refused`(text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(FieldValue.self, from: Data(text.utf8)) }
  }
}
