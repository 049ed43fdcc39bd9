import Foundation
import RecordStore
import StoreInspection
import TestSupport
import Testing

struct FieldValueJSONTests {
  /// Edges of every type; one list for all tests of values.
  static let edges: [FieldValue] = [
    .bool(true), .bool(false), .int(.min), .int(.max), .int(0), .uint(.max), .uint(0),
    .double(0), .double(-0.0), .double(.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude), .double(0.1),
    .double(.infinity), .double(-.infinity), .double(.nan), .double(Double(bitPattern: 0xFFF8_0000_0000_0042)),
    .decimal(Decimal(string: "12345678901234567890123456789012345678")!), .decimal(Decimal(string: "-0.1")!),
    .decimal(Decimal(string: "1e-127")!), .decimal(Decimal(string: "9e127")!), .decimal(.nan), .decimal(0),
    .decimal(.greatestFiniteMagnitude), .decimal(.leastFiniteMagnitude), .decimal(.leastNonzeroMagnitude),
    .string(""), .string("a\u{0}b\n\"é e\u{301} 😀"), .date(Date(timeIntervalSinceReferenceDate: 0.1)),
    .date(Date(timeIntervalSinceReferenceDate: -0.0)), .date(Date(timeIntervalSinceReferenceDate: 1.0 / 3)),
    .date(Date(timeIntervalSinceReferenceDate: .infinity)), .date(.distantPast), .date(.distantFuture),
    .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))), .data(Data()),
    .data(Data([0, 255, 10])), .url("https://example.org/ä?x=1#y"), .composite(Data([1])),
    .reference(RecordID(high: 1, low: .max)),
  ]

  @Test(arguments: edges)
  func `every value comes back with the same bits`(value: FieldValue) throws {
    let type = try #require(value.type)
    let json = try JSON(parsing: value.json.description)
    let again = try #require(FieldValue(json: json, type: type))
    #expect(bits(again) == bits(value))
  }

  @Test(arguments: edges)
  func `every value comes back with the same bits from the form for programs`(value: FieldValue) throws {
    let type = try #require(value.type)
    let json = try JSON(parsing: value.programJSON.description)
    let again = try #require(FieldValue(programJSON: json, type: type), "\(json)")
    #expect(again.isIdentical(to: value), "\(json)")
  }

  @Test(arguments: [
    (#"{"a":[1,2.5e-07],"b":"\u0001é/\n"}"#, #"{"a":[1,2.5e-07],"b":"\u0001é/\n"}"#), (#""text""#, #""text""#),
    ("null", #"{"@base64":"bnVsbA=="}"#), (#"{"b":1,"a":2}"#, #"{"@base64":"eyJiIjoxLCJhIjoyfQ=="}"#),
    (#"{"@base64":"AAA="}"#, #"{"@base64":"eyJAYmFzZTY0IjoiQUFBPSJ9"}"#), ("", #"{"@base64":""}"#),
    ("{", #"{"@base64":"ew=="}"#),
  ])
  func `a Codable value is JSON for programs, and other bytes are marked`(stored: String, printed: String) throws {
    let value = FieldValue.composite(Data(stored.utf8))
    #expect(value.programJSON.description == printed)
    #expect(FieldValue(programJSON: try JSON(parsing: printed), type: .composite) == value)
  }

  @Test func `a Codable value may be written with its members in any order`() throws {
    let json = try JSON(parsing: #"{ "b": 1, "a": { "d": 1, "c": 2 } }"#)
    for value in [FieldValue(json: json, type: .composite), FieldValue(programJSON: json, type: .composite)] {
      #expect(value == .composite(Data(#"{"a":{"c":2,"d":1},"b":1}"#.utf8)))
    }
  }

  @Test(arguments: FieldType.allCases)
  func `null is null in every type`(type: FieldType) {
    #expect(FieldValue(json: FieldValue.null.json, type: type) == .null)
  }

  @Test(arguments: [
    (JSON.string("1"), FieldType.int), (.number("1.5"), .int), (.number("9223372036854775808"), .int),
    (.number("-1"), .uint), (.string("abc"), .double), (.string("nan:0"), .double), (.string("1x"), .decimal),
    (.string("1,5"), .decimal), (.string(""), .decimal), (.number("1"), .string), (.string("no"), .date),
    (.string("no"), .uuid), (.string("?"), .data), (.string("12"), .reference), (.number("1"), .bool),
    (.string("123456789012345678901234567890123456789.123456789"), .decimal),
  ])
  func `a value of another type is refused`(json: JSON, type: FieldType) {
    #expect(FieldValue(json: json, type: type) == nil)
  }

  @Test func `a decimal that a person writes as a number keeps its digits`() {
    let digits = "0.1000000000000000055511151231257827"
    #expect(FieldValue(json: .number(digits), type: .decimal) == Decimal(string: digits).map { .decimal($0) })
  }

  /// Equality that tells NaNs and zeros apart.
  private func bits(_ value: FieldValue) -> String {
    switch value {
    case .double(let number): "double \(number.bitPattern)"
    case .date(let date): "date \(date.timeIntervalSinceReferenceDate.bitPattern)"
    default: "\(value)"
    }
  }
}
