import Foundation
import StoreInspection
import Testing

struct CheckTests {
  private let tandem = Tandem()

  @Test func `a sound store is called so`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run("check", shop.path)
      #expect(outcome.status == 0, "\(outcome.trouble)")
      #expect(outcome.output == "\(shop.path): sound, 7 records\n")
      let json = try JSON(parsing: tandem.run("check", shop.path, "--json").output)
      #expect(json["sound"] == .bool(true))
      #expect(json["violations"] == .array([]))
    }
  }

  @Test func `every store of a device directory is checked`() throws {
    try Shop.with { shop throws in
      let device = shop.folder.appendingPathComponent("phone")
      for name in ["one", "two"] {
        try shop.create(at: device.appendingPathComponent("group.example/\(name).store"), isFilled: name == "two")
      }
      let outcome = try tandem.run("check", device.path)
      #expect(outcome.status == 0, "\(outcome.trouble)")
      #expect(
        outcome.lines.map { $0.hasSuffix("one.store: sound, 0 records") || $0.hasSuffix("two.store: sound, 7 records") }
          == [true, true])
    }
  }
}
