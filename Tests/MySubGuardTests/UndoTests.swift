import Foundation
import Testing

@testable import MySubGuard

@Suite struct UndoTests {
  private let day = ["--frequency", "mensuel", "--next", "2026-01-31"]
  private let today = ["--today", "2026-01-15"]

  private struct Stored: Equatable {
    var details: SubscriptionDetails
    var payments: [PaidCharge]
  }

  private func state(_ device: TestDevice) throws -> [Stored] {
    let book = try SubscriptionBook(device: device.url, access: .readOnly, today: CalendarDay(iso: "2026-01-15"))
    return try book.subscriptions().map { Stored(details: $0, payments: try book.payments(of: $0.id)) }
  }

  @Test(arguments: [
    ["edit", "x", "--amount", "11", "--name", "y"], ["delete", "x"], ["price", "x", "12", "--since", "2026-01-10"],
    ["price", "x", "12", "--since", "2026-06-01"], ["pay", "x"], ["pause", "x", "--until", "2026-03-01"],
    ["cancel", "x"], ["resume", "x"],
    ["add", "z", "--amount", "1", "--frequency", "annuel", "--next", "2026-01-01"],
  ])
  func `each change is taken back, and done again by a second undo`(change: [String]) throws {
    try withDevice { device in
      _ = try device.run(["add", "x", "--amount", "10"] + day + today)
      _ = try device.run(["price", "x", "10.50", "--since", "2026-01-01"] + today)
      _ = try device.run(["pay", "x", "--charge", "2026-02-28"] + today)
      _ = try device.run(["cancel", "x", "--end", "2027-01-01"] + today)
      let before = try state(device)
      let run = try device.run(change + today)
      #expect(run.code == 0, "\(run.trouble)")
      let after = try state(device)
      #expect(before != after)
      #expect(try device.run(["undo"] + today).code == 0)
      #expect(try state(device) == before)
      #expect(try device.run(["undo"] + today).code == 0)
      #expect(try state(device) == after)
    }
  }

  @Test func `an import is taken back whole, whatever the number of its saves`() throws {
    try withDevice { device in
      let (phone, laptop) = (
        Fixtures.devices.appending(path: "phone.csv"), Fixtures.devices.appending(path: "laptop.csv")
      )
      _ = try device.run("import", phone.path)
      let before = try state(device)
      _ = try device.run("import", laptop.path, "--every", "5")
      #expect(try state(device).count == 46)
      let undo = try device.run("undo", "--json")
      #expect(undo.code == 0, "\(undo.trouble)")
      #expect(try state(device) == before)
    }
  }

  @Test func `what others changed since stays, and when nothing is left there is nothing to undo`() throws {
    try withDevice { device in
      _ = try device.run(["add", "x", "--amount", "10"] + day + today)
      let book = try SubscriptionBook(device: device.url, today: CalendarDay(iso: "2026-01-15"))
      let added = try book.subscription(named: "x")
      try book.replace(with: added.edited(name: "y", amount: 11, today: book.today))
      let note = try Data(contentsOf: undoFile(device))
      try book.replace(with: added.edited(name: "z", amount: 11, today: book.today))
      // As if the last change were another device's.
      try note.write(to: undoFile(device))
      #expect(try book.undo().reverted == ["z"])
      #expect(try book.subscription(named: "z").amount == 10)
      try note.write(to: undoFile(device))
      let error = #expect(throws: SubscriptionError.self) { try book.undo() }
      #expect(error?.code == .nothingToUndo)
    }
  }

  /// The note is written before the store is saved; a process that is killed between the two leaves this.
  @Test func `a change that never reached the store is nothing to undo`() throws {
    try withDevice { device in
      _ = try device.run(["add", "x", "--amount", "10"] + day + today)
      let before = try state(device)
      var change = LastChange(.added)
      change.added = [UUID()]
      _ = try SubscriptionBook(device: device.url).lastChange.replace(with: change)
      let run = try device.run("undo")
      #expect(run.code == 1 && run.trouble.hasPrefix("mysubguard: there is nothing to undo"), "\(run.trouble)")
      #expect(try state(device) == before)
    }
  }

  @Test func `a note of another kind is refused, gives way to the next change, and is its owner's alone`() throws {
    try withDevice { device in
      #expect(try device.run("undo").code == 2)
      _ = try device.run(["add", "x", "--amount", "10"] + day + today)
      try Data("no change".utf8).write(to: undoFile(device))
      #expect(try device.run("undo").code == 2)
      _ = try device.run(["edit", "x", "--amount", "11"] + today)
      #expect(try device.run("undo").output == "as before: x\n")
      let mode = try FileManager.default.attributesOfItem(atPath: undoFile(device).path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  /// A digit of an amount that the disk had changed was taken for what the person had once entered.
  @Test func `a note that is cut off or has a wrong byte is no change that could be taken back`() throws {
    try withDevice { device in
      _ = try device.run(["add", "x", "--amount", "10"] + day + today)
      _ = try device.run(["edit", "x", "--amount", "11", "--name", "y"] + today)
      let book = try SubscriptionBook(device: device.url, today: CalendarDay(iso: "2026-01-15"))
      let sound = try Data(contentsOf: undoFile(device))
      let change = try #require(try book.lastChange.read())
      func read(_ note: Data) throws -> LastChange? {
        try note.write(to: undoFile(device))
        do {
          return try book.lastChange.read()
        } catch let error as SubscriptionError where error.code == .unreadableFile {
          return nil
        }
      }
      for count in 0..<sound.count { #expect(try read(sound.prefix(count)) == nil, "\(count) bytes") }
      for index in sound.indices {
        for flip in [0x01, 0x02, 0x04, 0x20, 0x80, 0xFF] as [UInt8] {
          var note = sound
          note[index] ^= flip
          // What is the same change in other letters is no harm.
          if let found = try read(note) { #expect(found == change, "byte \(index) with \(flip)") }
        }
      }
      #expect(try read(sound) == change)
      #expect(try book.undo().reverted == ["x"])
    }
  }

  @Test func `a note of an earlier build, without a checksum, is read`() throws {
    try withDevice { device in
      _ = try device.run(["add", "x", "--amount", "10"] + day + today)
      _ = try device.run(["edit", "x", "--amount", "11"] + today)
      let change = try #require(try SubscriptionBook(device: device.url).lastChange.read())
      var note = try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(change)) as? [String: Any])
      (note["format"], note["version"]) = (LastChangeFile.format, 1)
      try JSONSerialization.data(withJSONObject: note).write(to: undoFile(device))
      #expect(try device.run("undo").output == "as before: x\n")
    }
  }

  private func undoFile(_ device: TestDevice) -> URL {
    device.url.appending(path: SubscriptionBook.groupIdentifier).appending(path: "\(SubscriptionBook.storeName).undo")
  }
}
