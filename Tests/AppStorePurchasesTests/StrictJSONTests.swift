import Foundation
import Testing

@testable import AppStorePurchases

@Suite struct StrictJSONTests {
  private func isObject(_ text: String) -> Bool { StrictJSON.isObject(Data(text.utf8)) }

  @Test(arguments: [
    "{}", " {\t\r\n} ", #"{"a":1,"b":-0.5e+10,"c":[],"d":[1,[2,{"e":null}]],"f":true,"g":false}"#,
    #"{"a":"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00é😀"}"#, #"{"a":0,"A":1}"#, #"{"":{"":1}}"#, #"{"a":1E5}"#,
  ])
  func `what the standard allows is an object`(text: String) { #expect(isObject(text)) }

  @Test(arguments: [
    "", "[]", "1", "{", "}", "{}}", "{} x", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1 "b":2}"#, #"{a:1}"#,
    #"{'a':1}"#, #"{"a":01}"#, #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":+1}"#, #"{"a":1e}"#, #"{"a":-}"#, #"{"a":0x1}"#,
    #"{"a":NaN}"#, #"{"a":tru}"#, #"{"a":True}"#, #"{"a":[1,]}"#, #"{"a":[1}"#, #"{"a":"\x"}"#, #"{"a":"\u12g4"}"#,
    #"{"a":"\uD800"}"#, #"{"a":"\uDC00\uD800"}"#, #"{"a":"\uD800\u0041"}"#, "{\"a\":\"\n\"}", "{\"a\":\"\u{1}\"}",
    #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":1}"#, #"{"b":{"a":1,"a":2}}"#, "{\"\u{E9}\":1,\"e\u{301}\":1}",
    "{\"a\":1}\u{FEFF}", "\u{FEFF}{}", "{\"a\":\u{A0}1}", #"{"a":"\u+041"}"#,
  ])
  func `what the standard does not allow, or what reads in two ways, is none`(text: String) { #expect(!isObject(text)) }

  @Test func `depth is bounded`() {
    let most = StrictJSON.maximumDepth
    for (depth, isGood) in [(most, true), (most + 1, false), (100_000, false)] {
      let text = #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
      #expect(isObject(text) == isGood, "\(depth)")
    }
  }

  @Test func `with any byte changed to any other, what Foundation refuses is refused`() throws {
    let good = Array(#"{"a":[1,-2.5e3,"x\u00e9\n",null,true],"b":{"c":false,"d":""}}"#.utf8)
    for place in good.indices {
      for byte in 0...UInt8.max {
        var bytes = good
        bytes[place] = byte
        guard String(validating: bytes, as: UTF8.self) != nil, StrictJSON.isObject(Data(bytes)) else { continue }
        #expect(throws: Never.self, "\(String(decoding: bytes, as: UTF8.self))") {
          try JSONSerialization.jsonObject(with: Data(bytes))
        }
      }
    }
  }
}
