// Made by Scripts/embed from the folder Templates beside it. Change those files, not this one.
// swift-format-ignore-file

package enum SimulatorPages {
    /// The text of each template by its name, without .mustache.
    package static let files: [String: String] = [
        "catalogue": #"""
            {{<panel}}{{$main}}
            <p>Storefronts: {{storefronts}}. Prices are those of the first storefront.</p>
            <table class="stack"><caption>Products</caption><thead><tr><th scope="col">Product</th><th scope="col">Name</th><th scope="col">Type</th><th scope="col" class="num">Price</th><th scope="col">Period</th><th scope="col">Offers</th><th scope="col">Sale</th></tr></thead><tbody>{{#rows}}<tr><th scope="row">{{#id}}{{>foreign}}{{/id}}</th><td data-label="Name">{{#title}}{{>foreign}}{{/title}}</td><td data-label="Type">{{type}}</td><td data-label="Price" class="num">{{price}}</td><td data-label="Period">{{period}}</td><td data-label="Offers">{{#offers}}{{>foreign}}{{/offers}}</td><td data-label="Sale"><span class="tag {{look}}">{{word}}</span></td></tr>{{/rows}}</tbody></table>
            <div class="cards">{{#forms}}<section class="card"><h2>{{formTitle}}</h2>{{>form}}</section>{{/forms}}</div>
            {{#whole}}<details{{#isWholeOpen}} open{{/isWholeOpen}}><summary>{{formTitle}}</summary>
            {{>form}}
            </details>{{/whole}}
            {{/main}}{{/panel}}

            """#,
        "confirm": #"""
            {{<panel}}{{$main}}
            <ul class="consequences">{{#consequences}}<li>{{>foreign}}</li>{{/consequences}}</ul>
            <form class="stack" action="{{actionURL}}" method="post">
            <input type="hidden" name="ticket" value="{{ticket}}">
            {{#fields}}<input type="hidden" name="{{name}}" value="{{value}}">{{/fields}}
            {{#typed}}<p><label for="typed">Type <strong>{{#word}}{{>foreign}}{{/word}}</strong> to confirm</label><input id="typed" name="typed" required autocomplete="off" spellcheck="false"></p>{{/typed}}
            <p class="buttons"><button class="{{buttonKind}}">{{button}}</button> <a href="{{cancelURL}}">Cancel</a></p>
            </form>
            {{/main}}{{/panel}}

            """#,
        "customer": #"""
            {{<panel}}{{$main}}
            <!--live--><div id="state" data-live="replace">
            <p>{{#summary}}{{>foreign}}{{/summary}}</p>
            {{#hasSubscriptions}}<table class="stack"><caption>Subscriptions</caption><thead><tr><th scope="col">Product</th><th scope="col">State</th><th scope="col">Until</th><th scope="col">Next</th><th scope="col">Original transaction</th></tr></thead><tbody>{{#subscriptions}}<tr><th scope="row">{{#product}}{{>foreign}}{{/product}}</th><td data-label="State"><span class="tag {{look}}">{{word}}</span></td><td data-label="Until">{{#until}}{{>time}}{{/until}}</td><td data-label="Next">{{#renewal}}{{>foreign}}{{/renewal}}</td><td data-label="Original transaction">{{original}}</td></tr>{{/subscriptions}}</tbody></table>{{/hasSubscriptions}}
            {{#hasBars}}<figure tabindex="0" role="group" aria-label="Periods">{{#bars}}{{>drawing}}{{/bars}}<figcaption><ul class="legend">{{#kinds}}<li class="{{look}}">{{word}}</li>{{/kinds}}</ul>Click a future day to enter it above, then choose Go to advance to it.{{#leftOut}} Not everything is drawn{{.}}.{{/leftOut}}</figcaption></figure>
            <table class="stack"><caption>Transactions, the latest first</caption><thead><tr><th scope="col">Transaction</th><th scope="col">Product</th><th scope="col">Bought</th><th scope="col">Expires</th><th scope="col" class="num">Price</th><th scope="col">Remarks</th></tr></thead><tbody>{{#transactions}}<tr data-row><th scope="row"><a href="{{url}}">{{id}}</a></th><td data-label="Product">{{#product}}{{>foreign}}{{/product}}</td><td data-label="Bought">{{#bought}}{{>time}}{{/bought}}</td><td data-label="Expires">{{#expires}}{{>time}}{{/expires}}</td><td data-label="Price" class="num">{{price}}</td><td data-label="Remarks">{{remark}}</td></tr>{{/transactions}}</tbody></table>{{#older}}<p class="soft">{{.}}</p>{{/older}}{{/hasBars}}
            {{^hasBars}}<div class="empty"><p>No purchases yet. Use the form below.</p></div>{{/hasBars}}
            </div><!--/live-->
            {{#device}}<section><h2 id="device">Data on the device</h2>
            {{#devices}}<nav class="buttons" aria-label="Devices">{{#names}}<a href="{{url}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}>{{#name}}{{>foreign}}{{/name}}</a> {{/names}}</nav>{{/devices}}
            <p>{{#named}}{{about}}. It has these transactions, {{/named}}{{^named}}The transactions above, {{/named}}<a href="{{appURL}}">the app transaction</a> and <a href="{{receiptURL}}">the receipt</a>. Open one to see its text.</p>
            {{#named}}{{#hasRows}}<table class="stack"><caption>On this device, newest first</caption><thead><tr><th scope="col">Transaction</th><th scope="col">Product</th><th scope="col">State</th></tr></thead><tbody>{{#rows}}<tr><th scope="row"><a href="{{url}}">{{id}}</a></th><td data-label="Product">{{#product}}{{>foreign}}{{/product}}</td><td data-label="State">{{remark}}</td></tr>{{/rows}}</tbody></table>{{/hasRows}}{{/named}}
            {{#opened}}<h3>{{#openedTitle}}{{>foreign}}{{/openedTitle}}</h3><p><button type="button" hidden data-copy="exact">Copy the text</button> <a href="{{closeURL}}">Close</a></p>{{#parts}}<h4>{{partTitle}}</h4>{{>facts}}{{/parts}}<pre id="exact" tabindex="0" aria-label="Exact text">{{exactText}}</pre>{{/opened}}</section>{{/device}}
            <h2>About the customer</h2>
            <dl class="facts">{{#facts}}<dt>{{title}}</dt><dd>{{value}}</dd>{{/facts}}{{#family}}<dt>Family</dt><dd>{{#members}}<a href="{{url}}">{{#name}}{{>foreign}}{{/name}}</a> {{/members}}</dd>{{/family}}</dl>
            <h2>Actions</h2>
            <div class="cards">{{#buy}}<section class="card"><h3>{{formTitle}}</h3>{{>form}}</section>{{/buy}}{{#forms}}<section class="card"><h3>{{formTitle}}</h3>{{>form}}</section>{{/forms}}</div>
            {{/main}}{{/panel}}

            """#,
        "customers": #"""
            {{<panel}}{{$main}}
            <!--live--><div id="list" data-live="hold">
            {{#isEmpty}}<div class="empty"><p>No customers yet. Use the forms below, or try</p><p><code>counterfoil simulator buy anna premium.monthly</code></p></div>{{/isEmpty}}
            {{#hasRows}}<table class="stack"><caption>By name</caption><thead><tr><th scope="col">Customer</th><th scope="col">State</th><th scope="col">Has</th><th scope="col">Storefront</th><th scope="col">Account token</th></tr></thead><tbody>{{#rows}}<tr data-row data-key="{{key}}"><th scope="row"><a href="{{url}}">{{#name}}{{>foreign}}{{/name}}</a></th><td data-label="State">{{#tag}}<span class="tag {{look}}">{{word}}</span>{{/tag}}</td><td data-label="Has">{{#summary}}{{>foreign}}{{/summary}}</td><td data-label="Storefront">{{storefront}}</td><td data-label="Account token">{{#account}}{{>foreign}}{{/account}}</td></tr>{{/rows}}</tbody></table>{{/hasRows}}
            </div><!--/live-->
            {{>pager}}
            <div class="cards">{{#forms}}<section class="card"><h2>{{formTitle}}</h2>{{>form}}</section>{{/forms}}</div>
            {{/main}}{{/panel}}

            """#,
        "facts": #"""
            <table class="stack"><thead><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead><tbody>{{#rows}}<tr><th scope="row">{{#factName}}{{>foreign}}{{/factName}}</th><td data-label="Value">{{#factValue}}{{>foreign}}{{/factValue}}{{#factDate}} <span class="soft">{{>time}}</span>{{/factDate}}</td></tr>{{/rows}}</tbody></table>
            """#,
        "faults": #"""
            {{<panel}}{{$main}}
            <!--live--><div id="list" data-live="replace">
            {{#isEmpty}}<div class="empty"><p>No active faults.</p></div>{{/isEmpty}}
            {{#hasRows}}<table class="stack"><caption>Active faults</caption><thead><tr><th scope="col">Fault</th><th scope="col">Target</th><th scope="col">Effect</th><th scope="col" class="num">Times applied</th><th scope="col">Remove</th></tr></thead><tbody>{{#rows}}<tr><th scope="row">{{number}}</th><td data-label="Target">{{#target}}{{>foreign}}{{/target}}</td><td data-label="Effect">{{#effect}}{{>foreign}}{{/effect}}</td><td data-label="Times applied" class="num">{{struck}}</td><td data-label="Remove">{{#off}}{{>small}}{{/off}}</td></tr>{{/rows}}</tbody></table>{{#allOff}}{{>small}}{{/allOff}}{{/hasRows}}
            </div><!--/live-->
            <h2>Presets</h2>
            <div class="cards">{{#presets}}<section class="card"><h3>{{formTitle}}</h3><p>{{formAbout}}</p>{{>small}}</section>{{/presets}}{{#form}}<section class="card"><h3>{{formTitle}}</h3>{{>form}}</section>{{/form}}</div>
            {{/main}}{{/panel}}

            """#,
        "form": #"""
            <form class="stack" id="form-{{formID}}" action="{{formURL}}" method="post"><input type="hidden" name="ticket" value="{{formTicket}}"><input type="hidden" name="form" value="{{formID}}"><input type="hidden" name="page" value="{{formPage}}"><input type="hidden" name="environment" value="{{formEnvironment}}">
            {{#formAbout}}<p class="soft">{{.}}</p>{{/formAbout}}
            {{#formFields}}{{#isHidden}}<input type="hidden" name="{{fieldName}}" value="{{fieldValue}}">{{/isHidden}}
            {{#isText}}<p><label for="{{fieldID}}">{{fieldLabel}}{{#fieldHint}}<span class="hint">{{.}}</span>{{/fieldHint}}</label><input id="{{fieldID}}" name="{{fieldName}}" value="{{fieldValue}}" maxlength="2000" autocomplete="off" spellcheck="false"{{#isRequired}} required{{/isRequired}}{{#isWrong}} aria-invalid="true"{{/isWrong}}></p>{{/isText}}
            {{#isNumber}}<p><label for="{{fieldID}}">{{fieldLabel}}{{#fieldHint}}<span class="hint">{{.}}</span>{{/fieldHint}}</label><input id="{{fieldID}}" name="{{fieldName}}" value="{{fieldValue}}" inputmode="decimal" maxlength="20" size="12" autocomplete="off"{{#isRequired}} required{{/isRequired}}{{#isWrong}} aria-invalid="true"{{/isWrong}}></p>{{/isNumber}}
            {{#choice}}<p><label for="{{fieldID}}">{{fieldLabel}}{{#fieldHint}}<span class="hint">{{.}}</span>{{/fieldHint}}</label><select id="{{fieldID}}" name="{{fieldName}}"{{#isWrong}} aria-invalid="true"{{/isWrong}}>{{#options}}<option value="{{optionValue}}"{{#isChosen}} selected{{/isChosen}}>{{optionTitle}}</option>{{/options}}</select></p>{{/choice}}
            {{#box}}<p><label class="box"><input type="checkbox" name="{{fieldName}}" value="{{boxValue}}"{{#isChosen}} checked{{/isChosen}}> {{fieldLabel}}{{fieldHint}}</label></p>{{/box}}
            {{/formFields}}
            {{#formFields}}{{#isArea}}<p><label for="{{fieldID}}">{{fieldLabel}}{{#fieldHint}}<span class="hint">{{.}}</span>{{/fieldHint}}</label><textarea id="{{fieldID}}" name="{{fieldName}}" spellcheck="false"{{#isRequired}} required{{/isRequired}}{{#isWrong}} aria-invalid="true"{{/isWrong}}>
            {{fieldValue}}</textarea></p>{{/isArea}}{{/formFields}}
            <p class="buttons"><button class="{{formButtonKind}}">{{formButton}}</button></p>
            <code class="command" data-command="{{formCommand}}">{{#formFilled}}{{>foreign}}{{/formFilled}}</code></form>
            """#,
        "missing": #"""
            {{<panel}}{{$main}}
            <p>{{advice}}</p>
            {{/main}}{{/panel}}

            """#,
        "notification": #"""
            {{<panel}}{{$main}}
            <!--live--><div id="state" data-live="replace">
            <dl class="facts"><dt>State</dt><dd>{{#tag}}<span class="tag {{look}}">{{word}}</span>{{/tag}}</dd><dt>Identifier</dt><dd>{{uuid}}</dd><dt>Signed</dt><dd>{{#signed}}{{>time}}{{/signed}}</dd>{{#customer}}<dt>Customer</dt><dd><a href="{{customerURL}}">{{#name}}{{>foreign}}{{/name}}</a></dd>{{/customer}}{{#due}}<dt>Next attempt</dt><dd>{{>time}}</dd>{{/due}}</dl>
            {{#hasAttempts}}<table class="stack"><caption>Attempts</caption><thead><tr><th scope="col">Attempt</th><th scope="col">When</th><th scope="col">Result</th><th scope="col" class="num">Status</th><th scope="col">Answer</th><th scope="col">Then</th></tr></thead><tbody>{{#attempts}}<tr><th scope="row">{{number}}</th><td data-label="When">{{#at}}{{>time}}{{/at}}</td><td data-label="Result"><span class="tag {{look}}">{{result}}</span></td><td data-label="Status" class="num">{{status}}</td><td data-label="Answer">{{#answer}}{{>foreign}}{{/answer}}</td><td data-label="Then">{{pause}}</td></tr>{{/attempts}}</tbody></table>{{/hasAttempts}}
            {{#noAttempts}}<div class="empty"><p>Not sent yet, or no URL was set.</p></div>{{/noAttempts}}
            </div><!--/live-->
            {{#resend}}<section class="card"><h2>{{formTitle}}</h2>{{>form}}</section>{{/resend}}
            {{#parts}}<h2>{{partTitle}}</h2>{{>facts}}{{/parts}}
            <h2>Exact text</h2>
            <p><button type="button" hidden data-copy="exact">Copy the text</button></p>
            <pre id="exact" tabindex="0" aria-label="Exact text">{{exactText}}</pre>
            {{/main}}{{/panel}}

            """#,
        "notifications": #"""
            {{<panel}}{{$main}}
            <p>{{#goesTo}}Notifications are sent to {{>foreign}}.{{/goesTo}}{{#goesNowhere}}Notifications are not sent: no URL is set.{{/goesNowhere}} <a href="{{settingsURL}}">Settings</a></p>
            <form class="inline" action="{{filterURL}}" method="get"><input type="hidden" name="environment" value="{{filterEnvironment}}"><label for="filter-customer">Customer</label><input id="filter-customer" name="customer" value="{{filterCustomer}}" maxlength="200" autocomplete="off"><button>Filter</button></form>
            {{#isFirst}}<!--live-->{{/isFirst}}<div id="list"{{#isFirst}} data-live="hold"{{/isFirst}}>
            {{#isEmpty}}<div class="empty"><p>No notifications yet. Try</p><p><code>counterfoil simulator trigger SUBSCRIBED.INITIAL_BUY</code></p></div>{{/isEmpty}}
            {{#isEmptyPart}}<div class="empty"><p>No notification matches. A customer's name must match exactly.</p></div>{{/isEmptyPart}}
            {{#hasRows}}<table class="stack"><caption>Newest first</caption><thead><tr><th scope="col">Type</th><th scope="col">Signed</th><th scope="col">Customer</th><th scope="col">Product</th><th scope="col">State</th><th scope="col" class="num">Attempts</th></tr></thead><tbody>{{#rows}}<tr data-row data-key="{{key}}"><th scope="row"><a href="{{url}}">{{name}}</a></th><td data-label="Signed">{{#signed}}{{>time}}{{/signed}}</td><td data-label="Customer">{{#customer}}<a href="{{customerURL}}">{{#name}}{{>foreign}}{{/name}}</a>{{/customer}}</td><td data-label="Product">{{#product}}{{>foreign}}{{/product}}</td><td data-label="State">{{#tag}}<span class="tag {{look}}">{{word}}</span>{{/tag}}</td><td data-label="Attempts" class="num">{{attempts}}</td></tr>{{/rows}}</tbody></table>{{/hasRows}}
            </div>{{#isFirst}}<!--/live-->{{/isFirst}}
            {{>pager}}
            {{/main}}{{/panel}}

            """#,
        "pager": #"""
            {{#hasPages}}<nav class="pager buttons" aria-label="Pages of the list">{{#previousURL}}<a href="{{previousURL}}" rel="prev">Previous</a>{{/previousURL}}{{#nextURL}}<a href="{{nextURL}}" rel="next">Next</a>{{/nextURL}}</nav>{{/hasPages}}
            """#,
        "panel": #"""
            {{<shell}}{{$strip}}{{#clock}}<section class="strip" aria-label="Clock"><!--live--><div class="strip-now" id="clock" data-live="replace">
            <p>{{#now}}{{>time}}{{/now}} <span class="soft">{{mode}}</span>{{#next}} · next event: {{#what}}{{>foreign}}{{/what}} {{#when}}{{>time}}{{/when}}{{/next}}{{^next}} · no event is scheduled{{/next}}</p>
            {{#running}}<p><label for="advancing">Advancing to {{#target}}{{>time}}{{/target}}: {{count}}{{#estimate}} of about {{.}}{{/estimate}} notifications</label> <progress id="advancing" max="100" value="{{percent}}">{{percent}} %</progress></p>
            <form class="inline" action="{{stopURL}}" method="post" aria-label="Stop"><input type="hidden" name="ticket" value="{{stopTicket}}"><input type="hidden" name="page" value="{{clockPage}}"><input type="hidden" name="environment" value="{{clockEnvironment}}"><input type="hidden" name="id" value="{{id}}"><button>Stop</button><code class="command">{{stopCommand}}</code></form>{{/running}}
            {{#idle}}<form class="inline" action="{{clockURL}}" method="post" aria-label="To the next event"><input type="hidden" name="ticket" value="{{clockTicket}}"><input type="hidden" name="page" value="{{clockPage}}"><input type="hidden" name="environment" value="{{clockEnvironment}}"><input type="hidden" name="to" value="{{nextInstant}}"><button>To the next event</button><code class="command">{{nextCommand}}</code></form>{{/idle}}
            </div><!--/live-->
            <form action="{{clockURL}}" method="post"><input type="hidden" name="ticket" value="{{clockTicket}}"><input type="hidden" name="page" value="{{clockPage}}"><input type="hidden" name="environment" value="{{clockEnvironment}}"><label for="advance-by">Forward by</label><select id="advance-by" name="by">{{#steps}}<option value="{{by}}"{{#isChosen}} selected{{/isChosen}}>{{title}}</option>{{/steps}}</select><button>Forward</button><code class="command" data-command="{{byCommand}}">{{byFilled}}</code></form>
            <form action="{{clockURL}}" method="post"><input type="hidden" name="ticket" value="{{clockTicket}}"><input type="hidden" name="page" value="{{clockPage}}"><input type="hidden" name="environment" value="{{clockEnvironment}}"><input type="hidden" name="form" value="advance"><label for="advance-to">to</label><input id="advance-to" name="to" value="{{to}}" required placeholder="2027-03-01" size="20" autocomplete="off"><button>Go</button><code class="command" data-command="{{toCommand}}">{{#toFilled}}{{>foreign}}{{/toFilled}}</code></form>
            </section>{{/clock}}{{/strip}}{{/shell}}

            """#,
        "scenarios": #"""
            {{<panel}}{{$main}}
            {{#report}}<section class="card"><h2>{{#reportName}}{{>foreign}}{{/reportName}} <span class="tag {{look}}">{{word}}</span></h2><table class="stack"><caption>Step by step</caption><thead><tr><th scope="col">Step</th><th scope="col">Outcome</th><th scope="col">Notifications</th></tr></thead><tbody>{{#steps}}<tr><th scope="row">{{#title}}{{>foreign}}{{/title}}</th><td data-label="Outcome"><span class="tag {{look}}">{{outcome}}</span>{{#mismatches}}<p>{{>foreign}}</p>{{/mismatches}}</td><td data-label="Notifications">{{notifications}}</td></tr>{{/steps}}</tbody></table></section>{{/report}}
            <p>Customer life cycles with their expected results. Each scenario creates its own customers.{{#needsFrozen}} Scenarios need a frozen clock: start with <code>counterfoil simulator --clock frozen</code>.{{/needsFrozen}}</p>
            {{#needsFrozen}}<p>Or run one alone: <code>counterfoil simulator scenario run upgrade --alone</code>.</p>{{/needsFrozen}}
            <table class="stack"><caption>Included scenarios</caption><thead><tr><th scope="col">Name</th><th scope="col">About</th><th scope="col">Run</th></tr></thead><tbody>{{#rows}}<tr><th scope="row">{{name}}</th><td data-label="About">{{title}}</td><td>{{#run}}{{>small}}{{/run}}</td></tr>{{/rows}}</tbody></table>
            {{#form}}<section class="card"><h2>{{formTitle}}</h2>{{>form}}</section>{{/form}}
            {{/main}}{{/panel}}

            """#,
        "settings": #"""
            {{<panel}}{{$main}}
            <p>Behaviour that differs between Apple's environments, can be configured, or is not documented.</p>
            <div class="cards">{{#forms}}<section class="card"><h2>{{formTitle}}</h2>{{>form}}</section>{{/forms}}</div>
            {{/main}}{{/panel}}

            """#,
        "small": #"""
            <form class="inline" id="form-{{formID}}" action="{{formURL}}" method="post"><input type="hidden" name="ticket" value="{{formTicket}}"><input type="hidden" name="form" value="{{formID}}"><input type="hidden" name="page" value="{{formPage}}"><input type="hidden" name="environment" value="{{formEnvironment}}">{{#formFields}}<input type="hidden" name="{{fieldName}}" value="{{fieldValue}}">{{/formFields}}<button>{{formButton}}</button> <code data-command="{{formCommand}}">{{#formFilled}}{{>foreign}}{{/formFilled}}</code></form>
            """#,
        "snapshots": #"""
            {{<panel}}{{$main}}
            {{#isEmpty}}<div class="empty"><p>No snapshots yet. Save one below, or try</p><p><code>counterfoil simulator snapshot before-renewal</code></p></div>{{/isEmpty}}
            {{#hasRows}}<table class="stack"><caption>Snapshots of both environments</caption><thead><tr><th scope="col">Name</th><th scope="col">Restore</th></tr></thead><tbody>{{#rows}}<tr><th scope="row">{{#name}}{{>foreign}}{{/name}}</th><td>{{#restore}}{{>small}}{{/restore}}</td></tr>{{/rows}}</tbody></table>{{/hasRows}}
            <div class="cards">{{#forms}}<section class="card"><h2>{{formTitle}}</h2>{{>form}}</section>{{/forms}}</div>
            {{/main}}{{/panel}}

            """#,
        "trigger": #"""
            {{<panel}}{{$main}}
            {{#form}}<section class="card"><h2>{{formTitle}}</h2>{{>form}}</section>{{/form}}
            <table class="stack"><caption>All notifications of the App Store</caption><thead><tr><th scope="col">Type</th><th scope="col">Meaning</th><th scope="col">Requirement for an existing customer</th></tr></thead><tbody>{{#rows}}<tr data-row><th scope="row"><a href="{{url}}">{{name}}</a></th><td data-label="Meaning">{{sentence}}</td><td data-label="Requirement">{{needs}}</td></tr>{{/rows}}</tbody></table>
            {{/main}}{{/panel}}

            """#,
    ]
}
