import Foundation
import Testing

/// `astrosvitla appstore`: the App Store's side, as commands.
@Suite struct AppStoreProgramTests {
  private func run(_ folder: URL, _ words: String, language: String = "C.UTF-8") throws -> ProgramRun {
    try ProgramRun(
      ["astrosvitla"] + words.split(separator: " ").map(String.init), in: folder, environment: ["LANG": language])
  }

  @Test func `accounts are made, changed and listed`() throws {
    try withDevices("phone") { folder in
      let changed = try run(folder, "appstore account --account child --storefront UKR --family Koval --ask-to-buy on")
      #expect(changed.code == 0 && changed.output.contains("child    UKR         on         on          Koval   –"))
      #expect(try run(folder, "buy single --account child --device phone").output.contains("waits for approval"))
      #expect(try run(folder, "approve --account child").code == 0)
      let off = "appstore account --account child --purchases off --ask-to-buy off --no-family"
      #expect(try run(folder, off).output.contains("child    UKR         off        off         –       phone"))
      let refused = try run(folder, "buy single --account child --device phone")
      #expect(refused.code == 1 && refused.trouble.contains("Purchases are turned off"), "\(refused)")
      let all = try run(folder, "appstore accounts --language uk")
      #expect(all.output.contains("child") && all.output.contains("me") && all.output.contains("вимкнено"))
      #expect(try run(folder, "appstore account --family A --no-family").code == 2)
    }
  }

  @Test func `a fault hits the call that it names, so often, and can be taken away`() throws {
    try withDevices("phone") { folder in
      let added = try run(folder, "appstore fault purchase networkError --times 2")
      #expect(added.output == "purchase will fail; faults that wait: 2\n", "\(added)")
      let failed = try run(folder, "buy single --device phone")
      #expect(failed.code == 3 && failed.trouble.contains("Network error. Check your connection."))
      #expect(try run(folder, "appstore faults").output == "faults that wait: 1\n")
      #expect(try run(folder, "appstore faults --remove").output == "faults that wait: 0\n")
      #expect(try run(folder, "buy single --device phone").code == 0)
    }
  }

  @Test func `an answer that is lost was paid, and the next launch brings it`() throws {
    try withDevices("phone") { folder in
      #expect(try run(folder, "appstore fault purchase networkError --done").code == 0)
      #expect(try run(folder, "buy single --device phone").code == 3)
      #expect(try run(folder, "appstore books").output.contains("not finished"))
      #expect(try run(folder, "open --device phone").output.hasPrefix("recovered: 1 credit\n"))
      let books = try run(folder, "appstore books --all --json")
      #expect(books.output.contains(#""isFinished" : true"#) && books.output.contains(#""price" : "4.99""#))
      #expect(try run(folder, "appstore fault purchase cancels").code == 0)
      let cancelled = try run(folder, "buy single --device phone")
      #expect(cancelled.code == 0 && cancelled.output.isEmpty)
    }
  }

  @Test(arguments: [("products", "buy single"), ("sync", "restore")])
  func `a call of the App Store that was cancelled by nobody ends with 3`(call: String, command: String) throws {
    try withDevices("phone") { folder in
      #expect(try run(folder, "appstore fault \(call) cancels").code == 0)
      let failed = try run(folder, "\(command) --device phone")
      #expect(failed.code == 3 && failed.trouble == "astrosvitla: the request was cancelled\n", "\(failed)")
      #expect(try run(folder, "\(command) --device phone").code == 0)
    }
  }

  @Test func `a reset forgets the books and begins with number 0`() throws {
    try withDevices("phone", "tablet") { folder in
      #expect(try run(folder, "buy single --device phone").code == 0)
      let reset = try run(folder, "appstore reset")
      #expect(reset.code == 0 && reset.output.contains("begin with new device directories"))
      #expect(try run(folder, "appstore books").output.split(separator: "\n").count == 1)
      #expect(try run(folder, "buy single --device tablet").output.contains("transaction 0"))
    }
  }

  @Test(arguments: [
    "fly networkError", "purchase nonsense", "token networkError", "purchase cancels --done",
    "purchase networkError --times 0",
  ])
  func `a fault that there is not ends with 2 and adds none`(fault: String) throws {
    try withDevices("phone") { folder in
      let refused = try run(folder, "appstore fault \(fault)")
      #expect(refused.code == 2, "\(refused)")
      #expect(try run(folder, "appstore faults").output == "faults that wait: 0\n")
    }
  }

  @Test func `packs are shown with what they save`() throws {
    try withDevices { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let products = try run(folder, "products")
      #expect(products.output.contains("$19.99  20% off\n") && products.output.contains("$34.99  30% off\n"))
      #expect(try run(folder, "products", language: "uk_UA.UTF-8").output.contains("дешевше на 20 %"))
    }
  }
}
