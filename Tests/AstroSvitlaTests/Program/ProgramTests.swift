import AppStoreTesting
import AstroSvitla
import Foundation
import Testing

@Suite struct ProgramTests {
  private let chart = [
    "--date", "1991-08-24", "--time", "07:45", "--latitude", "50.45", "--longitude", "-30.52", "--time-zone",
    "Europe/Kyiv",
  ]

  private func run(_ folder: URL, _ arguments: String..., language: String = "C") throws -> ProgramRun {
    try ProgramRun(["astrosvitla"] + arguments, in: folder, environment: ["LANG": language])
  }

  @Test func `products cost what the region says, in the person's language`() throws {
    try withDevices("phone") { folder in
      let english = try run(folder, "products")
      #expect(english.code == 0)
      #expect(english.output.contains("single   1 Report") && english.output.contains("$4.99"))
      #expect(english.output.contains("pack10   10 Report Credits"))
      let ukrainian = try run(folder, "products", "--storefront", "UKR", "--language", "uk")
      #expect(ukrainian.output.contains("1 кредит звіту") && ukrainian.output.contains("199"))
      #expect(ukrainian.output.contains("pack5") && ukrainian.output.contains("799,00"))
    }
  }

  @Test func `buying in two languages and as JSON says what was bought`() throws {
    try withDevices("phone") { folder in
      let english = try run(folder, "buy", "single", "--device", "phone")
      #expect(
        english.output == "bought: 1 credit · $4.99 · transaction 0\navailable 1 · consumed 0 · purchased 1\n",
        "\(english.trouble)")
      let ukrainian = try run(
        folder, "buy", "single", "--quantity", "2", "--storefront", "UKR", "--device", "phone",
        language: "uk_UA.UTF-8")
      #expect(
        ukrainian.output
          == "куплено: 2 кредити · 398,00\u{A0}₴ · транзакція 1\nдоступно 3 · використано 0 · придбано 3\n")
      let json = try run(folder, "buy", "com.astrosvitla.report.credit.single", "--device", "phone", "--json")
      #expect(json.output.contains(#""state" : "bought""#) && json.output.contains(#""credits" : 1"#))
      let credits = try run(folder, "credits", "--device", "phone", "--json")
      #expect(credits.output.contains(#""available" : 4"#))
      let history = try run(folder, "history", "--device", "phone")
      #expect(history.output.split(separator: "\n").count == 4)
      #expect(try run(folder, "statistics", "--device", "phone").output.contains("spent"))
      #expect(
        try run(folder, "history", "--from", "2001-01-01", "--to", "2001-12-31", "--json", "--device", "phone")
          .output == "[\n\n]\n")
    }
  }

  @Test func `a purchase that waits is approved or declined by somebody else`() throws {
    try withDevices("phone") { folder in
      let waiting = try run(folder, "buy", "pack5", "--ask-to-buy", "--device", "phone")
      #expect(waiting.code == 0 && waiting.output.contains("waits for approval"))
      #expect(try run(folder, "waiting").output.contains("pack5"))
      #expect(try run(folder, "credits", "--device", "phone").output.hasPrefix("available 0"))
      #expect(try run(folder, "approve").code == 0)
      #expect(try run(folder, "open", "--device", "phone").output.hasPrefix("recovered: 5 credits\navailable 5"))
      #expect(try run(folder, "buy", "single", "--ask-to-buy", "--device", "phone").code == 0)
      #expect(try run(folder, "decline").code == 0)
      let none = try run(folder, "approve")
      #expect(none.code == 1 && none.output.isEmpty && none.trouble.contains("no purchase waits"))
    }
  }

  @Test func `a report without a credit, and names that nobody has, end with 1 and a sentence in the language`() throws
  {
    try withDevices("phone") { folder in
      #expect(try run(folder, "open", "--device", "phone").code == 0)
      #expect(
        try ProgramRun(["astrosvitla", "chart", "add", "Olena", "--device", "phone"] + chart, in: folder).code == 0)
      let poor = try run(
        folder, "report", "generate", "Olena", "--area", "career", "--device", "phone", "--language", "uk")
      #expect(poor.code == 1 && poor.output.isEmpty)
      #expect(poor.trouble.contains("Недостатньо кредитів."))
      #expect(try run(folder, "chart", "show", "Nobody", "--device", "phone").code == 1)
      #expect(try run(folder, "report", "show", "ABCD", "--device", "phone").code == 1)
    }
  }

  @Test func `wrong usage, unknown devices and values outside of their limits end with 2 and change nothing`() throws {
    try withDevices("phone") { folder in
      for arguments in [
        ["buy", "pack7", "--device", "phone"], ["buy", "single", "--quantity", "11", "--device", "phone"],
        ["buy", "single", "--device", "nowhere"], ["credits", "--device", "nowhere"], ["nonsense"],
        ["report", "generate", "Olena", "--area", "finances", "--device", "phone"],
        ["chart", "add", "Olena", "--device", "phone"] + chart.map { $0 == "1991-08-24" ? "1891-08-24" : $0 },
        ["chart", "add", "", "--device", "phone"] + chart,
        ["buy", "single", "--storefront", "Ukraine", "--device", "phone"],
        ["credits", "--device", "phone", "--language", "de"],
      ] {
        let run = try ProgramRun(["astrosvitla"] + arguments, in: folder)
        #expect(run.code == 2, "\(arguments): \(run.code) \(run.trouble)")
        #expect(run.output.isEmpty && !run.trouble.isEmpty)
      }
    }
  }

  @Test func `a device that holds nothing yet reads as empty, and stays so`() throws {
    try withDevices("phone") { folder in
      #expect(
        try run(folder, "credits", "--device", "phone").output == "available 0 · consumed 0 · purchased 0\n")
      for command in [["chart", "list"], ["report", "list"], ["history"], ["statistics"]] {
        let run = try ProgramRun(["astrosvitla"] + command + ["--device", "phone"], in: folder)
        #expect(run.code == 0, "\(command): \(run.trouble)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "phone").path).isEmpty)
    }
  }

  @Test(arguments: ["FRA", "IRL", "HRV"]) func `each storefront of the euro area sells credits`(country: String) throws
  {
    try withDevices("phone") { folder in
      let products = try run(folder, "products", "--storefront", country)
      #expect(products.output.contains("single") && products.output.contains("€"), "\(products.output)")
    }
  }

  @Test func `prices are whole cents, and texts in every answer for programs`() throws {
    try withDevices("phone") { folder in
      #expect(try run(folder, "buy", "pack5", "--device", "phone").code == 0)
      #expect(
        try ProgramRun(["astrosvitla", "chart", "add", "Olena", "--device", "phone"] + chart, in: folder).code == 0)
      let report = try run(
        folder, "report", "generate", "Olena", "--area", "career", "--device", "phone", "--json")
      #expect(report.output.contains(#""price" : "4""#), "\(report.output)")
      #expect(try run(folder, "report", "list", "--device", "phone", "--json").output.contains(#""price" : "4""#))
      #expect(try run(folder, "history", "--device", "phone", "--json").output.contains(#""price" : "19.99""#))
      let twice = try run(folder, "report", "generate", "Olena", "--area", "career", "--device", "phone")
      #expect(twice.code == 1 && twice.output.isEmpty && twice.trouble.contains("--again"))
      let again = try run(folder, "report", "generate", "Olena", "--area", "career", "--again", "--device", "phone")
      #expect(again.code == 0)
    }
  }

  @Test func `a refund of what was never bought is refused`() throws {
    try withDevices("phone") { folder in
      let run = try run(folder, "refund", "7")
      #expect(run.code == 2 && run.output.isEmpty && run.trouble.contains("transaction"))
    }
  }

  @Test func `an App Store that fails ends with 3, and its sentence comes in the person's language`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "astrosvitla-\(UUID().uuidString)")
    for name in ["phone", "appstore"] {
      try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
    }
    let appStore = try await LocalAppStore.open(
      at: folder.appending(path: "appstore"), bundleID: CreditProduct.bundleID)
    try await appStore.simulate(.fails(.networkError), on: .purchase)
    try await appStore.simulate(TokenDefect.alteredPayload)
    let network = try run(folder, "buy", "single", "--device", "phone", "--language", "uk")
    #expect(network.code == 3 && network.trouble.contains("Помилка мережі. Перевірте з'єднання."), "\(network.trouble)")
    let forged = try run(folder, "buy", "single", "--device", "phone")
    #expect(forged.code == 3 && forged.trouble.contains("Purchase verification failed."), "\(forged.trouble)")
    let credits = try run(folder, "credits", "--device", "phone")
    #expect(credits.output.hasPrefix("available 0"))
    #expect(try run(folder, "open", "--device", "phone").output.hasPrefix("recovered: 1 credit\n"))
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `the same request prints the same report and charges once`() throws {
    try withDevices("phone") { folder in
      #expect(try run(folder, "buy", "pack5", "--device", "phone").code == 0)
      #expect(
        try ProgramRun(
          ["astrosvitla", "chart", "add", "Olena", "--profile", "Mother", "--device", "phone"] + chart, in: folder
        ).code == 0)
      let generate = [
        "astrosvitla", "report", "generate", "olena", "--area", "wellness", "--request",
        "6F1D7E0A-2B8C-4C53-9E67-0D5A3B9C1E42", "--device", "phone",
      ]
      let first = try ProgramRun(generate, in: folder)
      #expect(first.code == 0 && first.output.contains("This report looks at strength and rest"), "\(first.trouble)")
      #expect(try ProgramRun(generate, in: folder).output == first.output)
      #expect(try run(folder, "credits", "--device", "phone").output.hasPrefix("available 4 · consumed 1"))
      #expect(try run(folder, "report", "show", "6f1d", "--device", "phone").output == first.output)
      #expect(try run(folder, "report", "list", "--profile", "mother", "--device", "phone").output.contains("6F1D7E0A"))
      #expect(try run(folder, "report", "list", "--profile", "father", "--device", "phone").code == 1)
      #expect(try run(folder, "chart", "list", "--device", "phone").output.contains("Mother"))
      #expect(try run(folder, "chart", "show", "olena", "--device", "phone").output.contains("Sun"))
    }
  }

  @Test func `commands that read change no byte of the store`() throws {
    try withDevices("phone") { folder in
      #expect(try run(folder, "buy", "single", "--device", "phone").code == 0)
      let file = folder.appending(path: "phone/group.com.astrosvitla/AstroSvitla.store/data.mdb")
      // The first opening brings to the store what the purchase has left in the log.
      #expect(try run(folder, "credits", "--device", "phone").code == 0)
      let before = try Data(contentsOf: file)
      for command in [["credits"], ["history"], ["statistics"], ["chart", "list"], ["report", "list"]] {
        #expect(try ProgramRun(["astrosvitla"] + command + ["--device", "phone"], in: folder).code == 0)
      }
      #expect(try Data(contentsOf: file) == before)
    }
  }

  @Test func `help tells all in a terminal of any width`() throws {
    try withDevices("phone") { folder in
      let help = try ProgramRun(["astrosvitla", "buy", "--help"], in: folder, environment: ["COLUMNS": "20"])
      #expect(help.code == 0 && help.output.contains("1 to 10."), "\(help)")
    }
  }

  @Test(arguments: ["Europe/Kyiv", "українська мова"]) func `a locale that nobody knows is as none`(name: String) throws
  {
    try withDevices("phone") { folder in
      let products = try run(folder, "products", language: name)
      #expect(products.code == 0, "\(products)")
      #expect(try products.output == run(folder, "products").output)
    }
  }

  /// It ended the program by a trap, in the middle of a purchase.
  @Test func `trouble that cannot be told keeps nothing from its end`() throws {
    try withDevices("phone") { folder in
      func run(_ words: String...) throws -> ProgramRun {
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        return try ProgramRun(["astrosvitla"] + words, in: folder, trouble: full)
      }
      #expect(try run("chart", "show", "Nobody", "--device", "phone").code == 1)
      #expect(try run("byu").code == 2)
      let bought = try run("buy", "single", "--pause", "0.001", "--device", "phone")
      #expect(bought.code == 0 && bought.output.hasPrefix("bought: 1 credit"), "\(bought)")
    }
  }

  @Test(arguments: ["--help", "--version", "appstore"]) func `help that cannot be written ends with 1`(
    argument: String
  ) throws {
    try withDevices("phone") { folder in
      let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
      let run = try ProgramRun(["astrosvitla", argument], in: folder, output: full)
      #expect(run.code == 1 && run.trouble.hasPrefix("astrosvitla: cannot write to standard output"), "\(run)")
    }
  }
}
