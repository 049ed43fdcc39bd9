import Foundation
import RecordStore
import StoreInspection
import TestSupport
import Testing

/// `tandem serve`: which requests are answered, and what the page learns and may do.
@Suite(.timeLimit(.minutes(TestLength.minutesUntilHung))) struct ServeTests {
  private let tandem = Tandem()

  private static let hostile = [
    "<script>document.title = 'taken'</script>", "</script><img src=x onerror=alert(1)>", "\u{202E}txt.exe", "אבג عربى",
    "'; -- \" \\ &amp; {{nonce}} {{script}}", "line\nbreak\u{2028}\u{0}end", String(repeating: "long ", count: 5_000),
  ]

  private func titles(_ page: LivePageRun, _ shop: Shop, _ condition: String = "") throws -> [String] {
    let question: JSON = [
      "store": .string(shop.path), "entity": .string("Item"), "where": .string(condition), "sort": .string("title"),
    ]
    return try (page.ask("records", question)["rows"]?.arrayValue ?? []).compactMap {
      $0["cells"]?.arrayValue?.first?.stringValue
    }
  }

  private func object(_ store: String, _ members: KeyValuePairs<String, JSON>) -> JSON {
    members.reduce(["store": .string(store)]) { object, member in
      .object((object.objectValue ?? []) + [.init(member.key, member.value)])
    }
  }

  @Test(arguments: [SIGINT, SIGTERM]) func `a signal ends it with exit code 0, and pages learn why`(
    signal: Int32
  ) throws {
    try Shop.with { shop throws in
      let page = try LivePageRun(shop.path)
      let events = try page.events()
      #expect(page.process.end(by: signal) == 0)
      let end = try #require(try events.event { $0["reason"] != nil })
      #expect(end["reason"]?.stringValue == "the server was ended; start 'tandem serve' again")
      #expect(throws: LoopbackClient.Failure.self) { try LoopbackClient.response("GET", "/", port: page.port) }
    }
  }

  @Test func `the page is one document that loads nothing, under a policy that lets its own script alone run`() throws {
    try Shop.with { shop throws in
      let page = try LivePageRun(shop.path)
      let responses = try (0..<2).map { _ in try LoopbackClient.response("GET", "/", port: page.port) }
      for response in responses {
        #expect(response.status == 200)
        #expect(response.headers["cache-control"] == "no-store")
        #expect(response.headers["x-content-type-options"] == "nosniff")
        #expect(response.headers["referrer-policy"] == "no-referrer")
        #expect(response.headers["access-control-allow-origin"] == nil)
        let policy = try #require(response.headers["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'nonce-") && !policy.contains("unsafe"), "\(policy)")
        for word in ["http://", "https://", "innerHTML", "{{", page.token, "Bread"] {
          let place = response.body.range(of: word).map { response.body[$0.lowerBound...].prefix(80) }
          #expect(place == nil, "the page has \(word)")
        }
      }
      #expect(Set(responses.compactMap { $0.headers["content-security-policy"] }).count == 2, "a nonce is used twice")
    }
  }

  @Test func `foreign hosts, origins, sites and forged tokens are refused`() throws {
    try Shop.with { shop throws in
      let page = try LivePageRun(shop.path, "--read-write")
      let (port, token) = (page.port, page.token)
      let wrong: [(headers: [String: String], status: Int)] = [
        (["Host": "evil.example"], 421), (["Host": "evil.example:\(port)"], 421), (["Host": "127.0.0.1"], 421),
        (["Host": "127.0.0.1:\(port + 1)"], 421), (["Host": "127.0.0.1.evil.example:\(port)"], 421),
        (["Origin": "http://evil.example"], 403), (["Origin": "null"], 403),
        (["Origin": "http://127.0.0.1:\(port + 1)"], 403), (["Origin": "https://127.0.0.1:\(port)"], 403),
        (["Sec-Fetch-Site": "cross-site"], 403), (["Sec-Fetch-Site": "same-site"], 403),
        (["Authorization": ""], 401), (["Authorization": "Bearer "], 401), (["Authorization": token], 401),
        (["Authorization": "Bearer \(token)0"], 401), (["Authorization": "Bearer \(token.dropLast())"], 401),
        (["Authorization": "Bearer \(String(token.reversed()))"], 401),
        (["Authorization": "Bearer \(String(repeating: "0", count: token.count))"], 401),
        (["Content-Type": "text/plain"], 415), (["Content-Type": "application/x-www-form-urlencoded"], 415),
      ]
      let question = object(shop.path, ["id": .string(Shop.bread.description)])
      for (headers, status) in wrong {
        let (found, json) = try page.response("delete", question, headers: headers)
        #expect(found == status, "\(headers): \(json)")
        #expect(json["error"]?.stringValue?.isEmpty == false, "\(headers)")
      }
      for (headers, status) in wrong.prefix(11) {
        #expect(try LoopbackClient.response("GET", "/", port: port, headers: headers).status == status, "\(headers)")
      }
      for path in ["/api/events", "/api/stores"] {
        let answer = try LoopbackClient.response(path.hasSuffix("events") ? "GET" : "POST", path, port: port)
        #expect(answer.status == 401)
      }
      #expect(try titles(page, shop).count == 3, "a refused request changed the store")
      for headers in [
        ["Origin": "http://127.0.0.1:\(port)"], ["Host": "localhost:\(port)"], ["Sec-Fetch-Site": "same-origin"],
      ] {
        #expect(try page.response("stores", headers: headers).status == 200, "\(headers)")
      }
    }
  }

  @Test func `it listens on 127.0.0.1 alone, and each run has a token of 256 bits`() throws {
    try Shop.with { shop throws in
      let pages = try (0..<3).map { _ in try LivePageRun(shop.path) }
      #expect(Set(pages.map(\.token)).count == 3 && pages.allSatisfy { $0.token.count == 64 })
      let table =
        try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
        + (try String(contentsOfFile: "/proc/net/tcp6", encoding: .utf8))
      for page in pages {
        #expect(Self.listeningAddresses(port: page.port, in: table) == ["0100007F"])
      }
    }
  }

  /// As the kernel lists sockets: address and port in hexadecimal digits, the address from its end. State 0A listens.
  private static func listeningAddresses(port: Int, in table: String) -> [String] {
    let digits = String(port, radix: 16, uppercase: true)
    let ending = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    return table.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard words.count > 3, words[3] == "0A", words[1].hasSuffix(ending) else { return nil }
      return String(words[1].dropLast(ending.count))
    }
  }

  @Test func `questions that are none are refused by a sentence, and the page goes on`() throws {
    try Shop.with { shop throws in
      let page = try LivePageRun(shop.path)
      func status(_ body: String, _ method: String = "POST", _ path: String = "/api/records") throws -> Int {
        try LoopbackClient.response(method, path, port: page.port, headers: page.right, body: body).status
      }
      #expect(try status("{") == 400 && status("[]") == 400 && status("\u{0}") == 400 && status("") == 400)
      #expect(try status(String(repeating: "[", count: 100_000)) == 400)
      #expect(try status("{\"x\":\"\(String(repeating: "x", count: 1 << 20))\"}") == 413)
      #expect(try status("{}", "POST", "/api/nothing") == 404 && status("", "GET", "/etc/passwd") == 404)
      #expect(try status("", "PUT") == 405 && status("", "OPTIONS") == 405)
      #expect(try page.refusal("records", [:]).contains("lacks 'entity'"))
      let other = shop.folder.path
      #expect(try page.refusal("records", object(other, ["entity": .string("Item")])).contains("has no store"))
      #expect(
        try page.refusal("records", object(shop.path, ["entity": .string("Itm")])).contains("did you mean 'Item'?"))
      let condition = object(shop.path, ["entity": .string("Item"), "where": .string("prise > 3")])
      #expect(try page.refusal("records", condition).contains("did you mean 'price'?"))
      #expect(try page.refusal("record", object(shop.path, ["id": .string("x")])).contains("is no id of a record"))
      #expect(try titles(page, shop).count == 3)
    }
  }

  @Test func `a read-only page changes nothing, whatever it is asked`() throws {
    try Shop.with { shop throws in
      let page = try LivePageRun(shop.path)
      #expect(try page.ask("stores")["readOnly"]?.boolValue == true)
      for name in ["insert", "edit", "delete", "restore", "sync", "put", "remove"] {
        let (status, json) = try page.response(name, object(shop.path, ["id": .string(Shop.bread.description)]))
        #expect(status == 403 && json["error"]?.stringValue?.contains("--read-write") == true, "\(name): \(json)")
      }
      #expect(try titles(page, shop) == ["Bread", "Milk \u{1B}[31m\n漢", "Soap"])
    }
  }

  @Test func `records are entered, changed and deleted by the schema's rules, and old values are in history`() throws {
    try Shop.with { shop throws in
      let page = try LivePageRun(shop.path, "--read-write", "--author", "eva")
      let fields: JSON = [
        "title": .string("Tea"), "price": .string("2.50"), "list": .string("Home"), "weight": .string("1"),
        "done": .string("false"), "size": .string("2"), "due": .null,
      ]
      let inserted = try page.ask("insert", object(shop.path, ["entity": .string("Item"), "fields": fields]))
      let id = try #require(inserted["id"]?.stringValue)
      _ = try page.ask(
        "edit", object(shop.path, ["id": .string(id), "fields": ["price": .string("3"), "title": .string("")]]))
      let record = try page.ask("record", object(shop.path, ["id": .string(id)]))
      let values = (record["fields"]?.arrayValue ?? []).map { ($0["name"]?.stringValue ?? "", $0["value"] ?? .null) }
      let known = Dictionary(values) { first, _ in first }
      #expect(known["title"] == .string("") && known["price"] == .string("3") && known["due"] == .null, "\(record)")
      #expect(known["list"] == .string(Shop.home.description))
      let entry = try #require(
        try page.ask("history", object(shop.path, [:]))["transactions"]?.arrayValue?.first, "no transaction")
      #expect(entry["author"]?.stringValue == "eva")
      let changed = try #require(entry["changes"]?.arrayValue?.first?["values"]?.arrayValue)
      #expect(changed.contains(["field": .string("price"), "old": .string("2.5"), "new": .string("3")]), "\(entry)")
      try refusals(page, shop, id: id)
      let preview = try page.ask("delete", object(shop.path, ["id": .string("\(Shop.food)"), "dryRun": .bool(true)]))
      #expect(preview["deleted"]?.integerValue(as: Int.self) == 3, "a list takes its items along: \(preview)")
      #expect(try titles(page, shop).count == 4, "a preview deletes nothing")
      _ = try page.ask("delete", object(shop.path, ["id": .string("\(Shop.food)")]))
      #expect(try titles(page, shop) == ["", "Soap"])
    }
  }

  private func refusals(_ page: LivePageRun, _ shop: Shop, id: String) throws {
    let before = try titles(page, shop)
    let wrong: [(JSON, String)] = [
      (["price": .string("dear")], "'price' holds exact numbers"), (["titel": .string("x")], "did you mean 'title'?"),
      (["amount": .null], "requires a value"), (["list": .string("None")], "that the store does not have"),
      (["amount": .string("1.5")], "whole numbers"), (["done": .string("yes")], "true or false"),
    ]
    for (fields, sentence) in wrong {
      let answer = try page.refusal("edit", object(shop.path, ["id": .string(id), "fields": fields]))
      #expect(answer.contains(sentence) && answer.hasSuffix("nothing was changed"), "\(answer)")
    }
    let taken = object(shop.path, ["entity": .string("List"), "fields": ["name": .string("Food")]])
    #expect(try page.refusal("insert", taken).contains("which is unique"))
    #expect(try titles(page, shop) == before)
  }

  @Test func `values that would steer a page come back as they are`() throws {
    try Shop.with(isFilled: false) { shop throws in
      let page = try LivePageRun(shop.path, "--read-write")
      for text in Self.hostile {
        let fields: JSON = [
          "title": .string(text), "done": .string("false"), "weight": .string("1"), "size": .string("1"),
        ]
        let id =
          try page.ask("insert", object(shop.path, ["entity": .string("Item"), "fields": fields]))["id"] ?? .null
        let record = try page.ask("record", object(shop.path, ["id": id]))
        #expect(record["fields"]?.arrayValue?.first?["value"] == .string(text))
      }
      let shown = Set(try titles(page, shop))
      for text in Self.hostile where text.count < 300 { #expect(shown.contains(text), "\(text)") }
      #expect(shown.allSatisfy { $0.count <= 301 }, "a list does not send all of a long text")
      let html = try LoopbackClient.response("GET", "/", port: page.port).body
      #expect(!html.contains("document.title") && !html.contains("onerror"))
    }
  }

  @Test func `what another process commits is an event of its store`() throws {
    try Shop.with { shop throws in
      let page = try LivePageRun(shop.path)
      let events = try page.events()
      // A store is followed from the first question about it on.
      #expect(try titles(page, shop).count == 3)
      #expect(try tandem.run("delete", shop.path, Shop.bread.description).status == 0)
      let event = try events.event { $0["event"]?.stringValue == "commit" }
      #expect(event?["store"]?.stringValue == shop.path, "\(String(describing: event))")
      #expect(try titles(page, shop) == ["Milk \u{1B}[31m\n漢", "Soap"])
    }
  }

  @Test func `devices are synchronised from the page, and the end is an event`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let (phone, laptop) = (folder.path + "/phone", folder.path + "/laptop")
    for device in [phone, laptop] {
      try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: true)
    }
    for (key, device) in [("theme", phone), ("size", laptop)] {
      #expect(try tandem.run("put", key, "large", "--device", device).status == 0)
    }
    let page = try LivePageRun(phone, laptop, "--read-write")
    let events = try page.events()
    for _ in 1...2 {
      #expect(
        try page.ask("sync", ["first": .string(phone), "second": .string(laptop)])["started"]?.boolValue == true)
      let end = try events.event { $0["event"]?.stringValue == "sync" && $0["sync"]?["running"]?.boolValue == false }
      #expect(end?["sync"]?["complete"]?.boolValue == true, "\(String(describing: end))")
    }
    #expect(try tandem.run("get", "theme", "--device", laptop).output == "large\n")
    #expect(try tandem.run("get", "size", "--device", phone).output == "large\n")
    #expect(try page.refusal("sync", ["first": .string(phone)]).contains("no other device"))
  }

  @Test func `schema, sizes, integrity and suites are those of the commands`() throws {
    try Shop.with { shop throws in
      let device = shop.folder.path + "/phone"
      try shop.create(at: URL(fileURLWithPath: device + "/group.example/shop.store"), isFilled: true)
      #expect(try tandem.run("put", "theme", "<b>dark</b>", "--device", device).status == 0)
      let page = try LivePageRun(device)
      let paths = try (page.ask("stores")["stores"]?.arrayValue ?? []).compactMap { $0["path"]?.stringValue }
      #expect(paths.count == 2)
      let svg = try tandem.run("schema", paths[0], "--svg").output.trimmingCharacters(in: .newlines)
      #expect(try page.ask("schema", object(paths[0], [:]))["svg"] == .string(svg))
      let sizes = try page.ask("sizes", object(paths[0], [:]))
      let info = try JSON(parsing: tandem.run("info", paths[0], "--json").output)
      #expect(sizes["tables"] == info["tables"] && sizes["entities"] == info["entities"])
      #expect(
        try page.ask("check", object(paths[0], [:])) == [
          "sound": .bool(true), "records": .integer(7), "violations": .array([]),
        ])
      let suites = try page.ask("suites", object(paths[1], [:]))["suites"]?.arrayValue
      #expect(
        suites?.first?["keys"]?.arrayValue?.first?["value"] == .string("<b>dark</b>"), "\(String(describing: suites))")
    }
  }

  @Test func `a damaged store is found damaged, and the others can be looked at`() throws {
    try Shop.with { shop throws in
      let device = shop.folder.path + "/phone"
      let urls = ["a", "b"].map { URL(fileURLWithPath: device + "/group.example/\($0).store") }
      for url in urls { try shop.create(at: url, isFilled: true) }
      try Data(repeating: 7, count: 100_000).write(to: urls[0].appendingPathComponent("data.mdb"))
      let page = try LivePageRun(device)
      let stores = try #require(try page.ask("stores")["stores"]?.arrayValue)
      #expect(stores[0]["error"]?.stringValue?.isEmpty == false && stores[1]["entities"] != nil, "\(stores)")
      #expect(try page.ask("check", object(urls[0].path, [:]))["sound"]?.boolValue == false)
      #expect(try page.ask("check", object(urls[1].path, [:]))["sound"]?.boolValue == true)
    }
  }

  @Test func `a port that is taken, a missing device and one without stores end it with one sentence and exit code 2`()
    throws
  {
    try Shop.with { shop throws in
      let page = try LivePageRun(shop.path)
      let folder = shop.folder.path + "/empty"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let wrong: [([String], String)] = [
        ([shop.path, "--port", "\(page.port)"], "port \(page.port) is used by another program"),
        ([shop.path + "x"], "there is no device directory"), ([folder], "there is no store in"),
        ([shop.path, "--port", "70000"], "is not between 0 and 65535"),
        ([shop.path, "--folder", folder], "--read-write"),
      ]
      for (arguments, sentence) in wrong {
        let outcome = try tandem.run(arguments: ["serve"] + arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.trouble.contains(sentence), "\(outcome)")
      }
      var fresh = tandem
      fresh.environment["TANDEM_CONTAINER_ROOT"] = folder + "/none"
      let outcome = try fresh.run("serve")
      let sentence = "tandem: there is no store yet in \(folder)/none; name a store or a device directory\n"
      #expect(outcome.status == 2 && outcome.trouble == sentence, "\(outcome)")
    }
  }
}
