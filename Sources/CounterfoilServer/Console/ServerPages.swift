// Made by Scripts/embed from the folder Templates beside it. Change those files, not this one.
// swift-format-ignore-file

package enum ServerPages {
    /// The text of each template by its name, without .mustache.
    package static let files: [String: String] = [
        "block": #"""
            {{#isTitle}}<h2>{{title}}</h2>{{/isTitle}}
            {{#isSubtitle}}<h3>{{title}}</h3>{{/isSubtitle}}
            {{#isParagraph}}<p class="{{paragraphKind}}">{{#paragraph}}{{>foreign}}{{/paragraph}}</p>{{/isParagraph}}
            {{#isFacts}}<dl class="facts">{{#facts}}<dt>{{name}}</dt><dd>{{>cell}}</dd>{{/facts}}</dl>{{/isFacts}}
            {{#isTable}}<table class="stack{{#isUnproven}} unproven{{/isUnproven}}"><caption>{{caption}}</caption><thead><tr>{{#columns}}<th scope="col"{{#isNumber}} class="num"{{/isNumber}}>{{columnTitle}}</th>{{/columns}}</tr></thead><tbody>{{#rows}}<tr data-row data-key="{{rowKey}}">{{#cells}}{{#isHeader}}<th scope="row" data-label="{{label}}"{{#isNumber}} class="num"{{/isNumber}}>{{>cell}}</th>{{/isHeader}}{{^isHeader}}<td data-label="{{label}}"{{#isNumber}} class="num"{{/isNumber}}>{{>cell}}</td>{{/isHeader}}{{/cells}}</tr>{{/rows}}</tbody></table>{{/isTable}}
            {{#isDrawing}}<figure tabindex="0" role="group" aria-label="{{caption}}">{{#drawing}}{{>drawing}}{{/drawing}}<figcaption>{{#hasLegend}}<ul class="legend">{{#legend}}<li class="{{look}}">{{word}}</li>{{/legend}}</ul>{{/hasLegend}}{{caption}}</figcaption></figure>{{/isDrawing}}
            {{#isEntries}}<ol class="timeline">{{#entries}}<li data-row data-key="{{entryKey}}"{{#hasAnchor}} id="{{anchor}}"{{/hasAnchor}}{{#isOpen}} class="open"{{/isOpen}}><div class="what">{{#sentence}}{{>cell}}{{/sentence}}</div><p class="when">{{#entryFacts}}<span><span class="soft">{{name}}</span> {{>cell}}</span> {{/entryFacts}}{{#entryLinks}}<a href="{{url}}">{{linkText}}</a> {{/entryLinks}}</p>{{#isOpen}}<div class="inside">{{#inside}}{{>block}}{{/inside}}</div>{{/isOpen}}</li>{{/entries}}</ol>{{/isEntries}}
            {{#isExact}}<details{{#isOpen}} open{{/isOpen}}><summary>{{title}}</summary><pre class="{{exactKind}}" tabindex="0">{{#exact}}{{>foreign}}{{/exact}}</pre></details>{{/isExact}}
            {{#isLinks}}<p class="buttons">{{#links}}<a href="{{url}}"{{#relation}} rel="{{.}}"{{/relation}}>{{#text}}{{>foreign}}{{/text}}</a> {{/links}}</p>{{/isLinks}}
            {{#isForm}}<form class="stack" action="{{actionURL}}" method="{{method}}"{{#isUpload}} enctype="multipart/form-data"{{/isUpload}}>
            {{#fields}}{{#isHidden}}<input type="hidden" name="{{fieldName}}" value="{{value}}">{{/isHidden}}{{#isArea}}<p><label for="{{id}}">{{label}}</label><textarea id="{{id}}" name="{{fieldName}}" rows="10" cols="60" spellcheck="false" autocomplete="off">
            {{value}}</textarea></p>{{/isArea}}{{#isInput}}<p><label for="{{id}}">{{label}}</label><input id="{{id}}" name="{{fieldName}}" type="{{type}}" value="{{value}}" autocomplete="off" spellcheck="false"{{#isWrong}} aria-invalid="true"{{/isWrong}}></p>{{/isInput}}{{#isChoice}}<p><label for="{{id}}">{{label}}</label><select id="{{id}}" name="{{fieldName}}">{{#options}}<option value="{{option}}"{{#isChosen}} selected{{/isChosen}}>{{optionTitle}}</option>{{/options}}</select></p>{{/isChoice}}{{/fields}}
            <p class="buttons"><button>{{button}}</button></p>
            </form>{{/isForm}}

            """#,
        "cell": #"""
            {{#hasLink}}<a href="{{cellURL}}">{{>value}}</a>{{/hasLink}}{{^hasLink}}{{>value}}{{/hasLink}}
            """#,
        "page": #"""
            {{<shell}}{{$main}}
            {{#isLive}}<!--live--><div id="page" data-live="replace">{{/isLive}}
            {{#blocks}}{{>block}}{{/blocks}}
            {{#isLive}}</div><!--/live-->{{/isLive}}
            {{#hasHeld}}{{#isLive}}<!--live--><div id="list" data-live="hold">{{/isLive}}
            {{#held}}{{>block}}{{/held}}
            {{#isLive}}</div><!--/live-->{{/isLive}}{{/hasHeld}}
            {{#forms}}{{>block}}{{/forms}}
            {{/main}}{{/shell}}

            """#,
        "value": #"""
            {{#isTag}}<span class="tag {{tagKind}}">{{text}}</span>{{/isTag}}{{#isTime}}{{#instant}}{{>time}}{{/instant}}{{/isTime}}{{#isPlain}}{{text}}{{/isPlain}}{{#isForeign}}{{#foreign}}{{>foreign}}{{/foreign}}{{/isForeign}}{{#isCode}}<code>{{#foreign}}{{>foreign}}{{/foreign}}</code>{{/isCode}}{{#isProgress}}<progress value="{{amount}}" max="{{whole}}" aria-label="{{text}}"></progress> {{text}}{{/isProgress}}
            """#,
    ]
}
